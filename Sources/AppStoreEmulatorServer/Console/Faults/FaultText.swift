import AppStoreEmulator
import StoreModel

enum FaultText {
  /// The requests for which a fault is set.
  static func scope(_ fault: Fault) -> String {
    let scope = fault.scope
    let parts: [String?] = [
      scope.calls.map { $0.map(\.rawValue).sorted().joined(separator: ", ") }, scope.environment?.rawValue,
      scope.customer.map { "customer “\($0.rawValue)”" }, scope.bundleID.map { "app \($0.rawValue)" },
      scope.productID.map { "product \($0.rawValue)" }, scope.installationID.map { "installation \($0.rawValue)" },
    ]
    let text = parts.compactMap { $0 }.joined(separator: " · ")
    return text.isEmpty ? "all requests that this kind usually strikes" : text
  }

  /// How long a fault stays active.
  static func duration(_ report: FaultReport) -> String {
    var parts: [String] = []
    if let remaining = report.remaining { parts.append("\(remaining) more") }
    if let probability = report.fault.probability, probability < 1 { parts.append("with a chance of \(probability)") }
    if let end = report.endDate { parts.append("until \(end.text)") }
    return parts.isEmpty ? "until it is removed" : parts.joined(separator: ", ")
  }
}
