import AppStoreEmulator
import StoreModel
import WebSupport

/// Shows the answer of each API of the store for a transaction. All of them are made from the same record.
struct EndpointCards {
  let details: TransactionDetails
  let files: TransactionFiles

  func html() throws -> HTML {
    "<div class=\"responses\">\(device)\(try verifyReceipt(.production))\(try verifyReceipt(.sandbox))\(try control())</div>"
  }

  private var stored: StoredTransaction { details.stored }

  private var device: HTML {
    let listed = details.redeliveries.filter { $0.finishedDate == nil }
    let more = listed.map {
      """
      <p>Once more as \($0.transactionID.rawValue), for installation \(HTML.name($0.installationID.rawValue)), until it is finished.</p>
      """ as HTML
    }
    return """
      <section class="card"><h3>Devices</h3><p>\(deviceWords)</p>\(more)
      <p class="small muted">The list of unfinished transactions that a device asks for at every launch.</p></section>
      """
  }

  private var deviceWords: HTML {
    if stored.record.revocationDate != nil {
      return stored.finishedDate == nil
        ? "Revoked before it was finished: it is not delivered any more." : "Revoked. The devices have been notified."
    }
    if let date = stored.finishedDate {
      let restorable: HTML =
        stored.record.type.isRestorable ? " Restoring brings it to every device of the customer." : ""
      return "Not in the list any more: finished \(date.html).\(restorable)"
    }
    if let installation = stored.installationID {
      return "In the list of installation \(HTML.name(installation.rawValue)), until it is finished."
    }
    if stored.record.ownership == .familyShared {
      return "Shared: restoring brings it to every device of the customer."
    }
    return "Waits for the first device of the customer with this app that asks."
  }

  private func verifyReceipt(_ environment: StoreEnvironment) throws -> HTML {
    guard let answers = files.signed?.answers else { return "" }
    let isProduction = environment == .production
    let receipts: [(String, VerifyReceiptResponse?, TransactionFile)] = [
      ("App receipt", answers.appReceipt[environment], isProduction ? .productionAppReceipt : .sandboxAppReceipt),
      (
        "Receipt of iOS 6", answers.legacyReceipt[environment],
        isProduction ? .productionLegacyReceipt : .sandboxLegacyReceipt
      ),
    ]
    let lines = try receipts.map { title, answer, file -> HTML in
      guard let answer else { return "" }
      return "<p>\(title): \(Self.badge(answer.status))</p>\n\(try files.folded(file))\n"
    }
    return "<section class=\"card\"><h3>verifyReceipt, \(environment.lowercaseName)</h3>\(lines)</section>"
  }

  private static func badge(_ status: VerifyReceiptStatus) -> HTML {
    "<span class=\"badge \(status == .valid ? "badge-good" : "badge-wait")\">\(status.rawValue)</span> \(text(status))"
  }

  private static func text(_ status: VerifyReceiptStatus) -> String {
    switch status {
    case .valid: "valid"
    case .sandboxReceiptSentToProduction: "a receipt of the sandbox: ask there"
    case .productionReceiptSentToSandbox: "a receipt of production: ask there"
    case .notAuthenticated: "not signed by this store"
    case .wrongSharedSecret: "not the app’s shared secret"
    case .malformedReceipt: "no receipt of this store"
    default: ""
    }
  }

  private func control() throws -> HTML {
    "<section class=\"card\"><h3>Control API</h3>\(try files.folded(.control))</section>"
  }
}
