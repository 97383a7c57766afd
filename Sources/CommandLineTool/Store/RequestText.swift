import AppStoreEmulator
import ControlAPI

/// Formats requests of the journal. Control characters are escaped.
enum RequestText {
  /// Returns the call, its outcome, and the fault that affected it.
  static func what(_ request: RequestView) -> String {
    let fault = request.fault.map { ", struck by \(shown($0.id.rawValue)) (\(shown($0.kind)))" } ?? ""
    return "\(shown(request.call.rawValue)) \(end(request))\(fault)"
  }

  static func end(_ request: RequestView) -> String {
    switch request.outcome {
    case .underWay: "under way"
    case .answered: "answered"
    case .refused: "refused: \(shown(request.code?.rawValue ?? ""))"
    case .status:
      "answered with status \(request.status ?? 0)\(request.reason.map { ": \($0.madeVisible(limit: 500))" } ?? "")"
    case .serverError: "answered with HTTP \(request.httpStatus ?? 0)"
    case .noAnswer: "got no answer"
    case .failed: "failed"
    }
  }

  /// Returns all details of the request in one line.
  static func line(_ request: RequestView) -> String {
    return [
      String(request.sequence), request.date.readable, what(request), shown(request.customer?.rawValue ?? ""),
      from(request), about(request),
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  static func from(_ request: RequestView) -> String { shown(request.installationId?.rawValue ?? "") }

  /// The maximum number of products that a line names.
  private static let mostProducts = 3

  /// Returns the transaction or the first products of the request.
  static func about(_ request: RequestView) -> String {
    if let id = request.transactionId { return shown(id.rawValue) }
    let products = request.productIds ?? []
    let rest = products.count > mostProducts ? ["and \(products.count - mostProducts) more"] : []
    return (products.prefix(mostProducts).map { shown($0.rawValue) } + rest).joined(separator: ", ")
  }

  private static func shown(_ text: String) -> String { text.visibleIdentifier }
}
