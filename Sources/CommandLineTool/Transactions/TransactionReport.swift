import ControlAPI
import StoreModel

/// Formats a transaction and its timeline. Control characters are escaped.
struct TransactionReport {
  private let details: TransactionDetailsView

  init(_ details: TransactionDetailsView) { self.details = details }

  func lines(on console: CommandConsole) -> [String] {
    let history = TextTable(
      columns: [
        .init(heading: "date"), .init(heading: "what happened", style: { Self.style(of: $0) }),
        .init(heading: "of it"),
      ], rows: details.timeline.map(Self.row))
    var properties = LabeledRows()
    for property in details.transaction.properties {
      properties.add(property.label.lowercased(), property.value.map(Self.text))
    }
    return properties.lines + [""] + console.lines(of: history)
  }

  private static func text(_ value: DisplayProperty.Value) -> String {
    switch value {
    case .text(let text), .identifier(let text), .name(let text), .storefront(let text): text.madeVisible(limit: 300)
    case .date(let date): date.readable
    case .money(let amount, let currency): amount.text(in: currency)
    case .transaction(let id): id.rawValue
    case .product(let id, _): id.rawValue.madeVisible(limit: 300)
    case .customer(let name, _): name.rawValue.madeVisible(limit: 300)
    }
  }

  // MARK: Timeline

  private static func row(_ entry: TimelineEntryView) -> [String] {
    let (what, of) = cells(of: entry)
    return [entry.date.readable, what, of]
  }

  private static func cells(of entry: TimelineEntryView) -> (what: String, of: String) {
    func shown(_ text: String?) -> String { (text ?? "").visibleIdentifier }
    let money = entry.amount.map { Milliunits(abs($0.rawValue)).text(in: entry.currency ?? "") }
    return switch entry.event {
    case .request: (entry.request.map(RequestText.what) ?? "request", entry.request.map(RequestText.from) ?? "")
    case .approvalAwaited: ("approval awaited", shown(entry.installationId?.rawValue))
    case .approved: ("approved", "")
    case .purchased: money.map { ("charged \($0)", shown(entry.customer?.rawValue)) } ?? ("bought, nothing to pay", "")
    case .shared: ("shared by the family", shown(entry.transactionId?.rawValue))
    case .sharedWith: ("shared with \(shown(entry.customer?.rawValue))", shown(entry.transactionId?.rawValue))
    case .finished: ("finished", shown(entry.installationId?.rawValue))
    case .redelivered: ("redelivered as \(shown(entry.transactionId?.rawValue))", shown(entry.installationId?.rawValue))
    case .refundRequested: ("refund requested", entry.reason?.rawValue ?? "")
    case .refundDecided: ("refund request \(Self.decision(entry))", "")
    case .refunded: ("refunded \(money ?? "")", shown(entry.customer?.rawValue))
    case .refundReversed: ("refund reversed, \(money ?? "")", shown(entry.customer?.rawValue))
    case .revoked: ("revoked without a refund", shown(entry.revocationType?.rawValue))
    }
  }

  private static func decision(_ entry: TimelineEntryView) -> String {
    switch entry.outcome {
    case .declined: "declined"
    case .prorated: "granted in part: \(Double(entry.percentage ?? 0) / 1_000) percent"
    case .full, nil: "granted"
    }
  }

  private static func style(of text: String) -> TextStyle? {
    if text == "refund requested" { return .waiting }
    if text == "refund request declined" { return nil }
    if text.hasPrefix("charged") || text == "finished" { return .good }
    if text.hasPrefix("refund") || text.hasPrefix("revoked") || text.contains("refused") { return .bad }
    return text == "approval awaited" || text.contains("under way") || text.contains("no answer") ? .waiting : nil
  }
}

extension Milliunits {
  /// The amount with its currency.
  func text(in currency: String) -> String { "\(digits(in: currency)) \(currency.madeVisible(limit: 10))" }
}
