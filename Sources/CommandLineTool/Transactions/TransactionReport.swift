import StoreModel

/// One transaction, for people. All that comes from strangers is made visible.
struct TransactionReport {
  private let details: ControlDoor.TransactionDetails
  private var transaction: ControlDoor.Transaction { details.transaction }

  init(_ details: ControlDoor.TransactionDetails) { self.details = details }

  func lines(on console: CommandConsole) -> [String] {
    let story = TextTable(
      columns: [
        .init(heading: "date"), .init(heading: "what happened", style: { Self.style(of: $0) }),
        .init(heading: "of it", canBeCut: true),
      ], rows: details.timeline.map(Self.row))
    return facts.lines + [""] + console.lines(of: story)
  }

  private var facts: LabeledLines {
    var facts = LabeledLines()
    facts.add("transaction", shown(transaction.transactionId))
    if transaction.originalTransactionId != transaction.transactionId {
      facts.add("original", shown(transaction.originalTransactionId))
    }
    facts.add("state", shown(transaction.state))
    facts.add("product", "\(shown(transaction.productId)) (\(shown(transaction.type)))")
    facts.add("quantity", String(transaction.quantity))
    facts.add("price", transaction.priceText)
    facts.add("customer", shown(transaction.customer))
    facts.add(
      "app", "\(shown(transaction.bundleId)), \(shown(transaction.environment)), \(shown(transaction.storefront))")
    facts.add("bought", transaction.purchaseDate.readable)
    facts.add("expires", transaction.expiresDate?.readable)
    facts.add("finished", transaction.finishedDate?.readable)
    facts.add("installation", transaction.installationId.map(shown))
    facts.add("username", transaction.applicationUsername.map(shown))
    facts.add("account token", transaction.appAccountToken.map(shown))
    facts.add("shared of", transaction.sharedTransactionId.map(shown))
    if let date = transaction.revocationDate {
      let share = transaction.revocationPercentage.map { ", \(Percentage.words($0))" } ?? ""
      let reason = transaction.revocationReason == 1 ? ", an issue with the app" : ""
      facts.add("taken back", "\(date.readable), \(shown(transaction.revocationType ?? ""))\(share)\(reason)")
    }
    return facts
  }

  private func shown(_ text: String) -> String { text.madeVisible(limit: 300) }

  // MARK: What happened

  private static func row(_ entry: ControlDoor.TimelineEntry) -> [String] {
    let (what, of) = words(entry)
    return [entry.date.readable, what, of]
  }

  private static func words(_ entry: ControlDoor.TimelineEntry) -> (what: String, of: String) {
    func shown(_ text: String?) -> String { (text ?? "").madeVisible(limit: 60) }
    let money = entry.amount.map { Milliunits(abs($0)).text(in: entry.currency ?? "") }
    return switch entry.event {
    case "request": (entry.request.map(RequestWords.what) ?? "request", entry.request.map(RequestWords.from) ?? "")
    case "approvalAwaited": ("approval awaited", shown(entry.installationId))
    case "approved": ("approved", "")
    case "purchased": money.map { ("charged \($0)", shown(entry.customer)) } ?? ("bought, nothing to pay", "")
    case "shared": ("shared by the family", shown(entry.transactionId))
    case "sharedWith": ("shared with \(shown(entry.customer))", shown(entry.transactionId))
    case "finished": ("finished", shown(entry.installationId))
    case "redelivered": ("delivered once more as \(shown(entry.transactionId))", shown(entry.installationId))
    case "refunded": ("refunded \(money ?? "")", shown(entry.customer))
    case "refundReversed": ("refund taken back, \(money ?? "")", shown(entry.customer))
    case "revoked": ("taken back without money", shown(entry.revocationType))
    default: (shown(entry.event), "")
    }
  }

  private static func style(of words: String) -> TextStyle? {
    if words.hasPrefix("charged") || words == "finished" { return .good }
    if words.hasPrefix("refund") || words.hasPrefix("taken back") || words.contains("refused") { return .bad }
    return words == "approval awaited" || words.contains("under way") || words.contains("no answer") ? .waiting : nil
  }
}
