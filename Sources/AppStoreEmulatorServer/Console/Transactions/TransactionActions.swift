import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The actions on a transaction. A purchase can be refunded, and its refund reversed. A family share is revoked by
/// ending the sharing, as in the App Store.
struct TransactionActions {
  let stored: StoredTransaction
  let calls: CallContext

  private var record: TransactionRecord { stored.record }
  private var id: String { record.transactionID.rawValue }
  private var isRevoked: Bool { record.revocationDate != nil }
  /// Whether the customer upgraded to another plan. The rest of the price was refunded at that time.
  private var isUpgraded: Bool { record.isUpgraded && !isRevoked }
  private var isShare: Bool { stored.sharedTransactionID != nil }

  var title: String {
    if isUpgraded { return "Upgraded" }
    return isShare
      ? isRevoked ? "No longer shared" : "Revoke"
      : isRevoked ? "Reverse refund" : "Refund"
  }

  var html: HTML {
    if isUpgraded {
      return "<p>The customer upgraded to another plan, and the rest of the price was refunded.</p>"
    }
    return isShare
      ? isRevoked ? "<p>The sharing has ended already.</p>" : revocation
      : isRevoked ? reversal : refund
  }

  private var refund: HTML {
    CallForm(
      call: APICall("refund", ControlEndpoints.refund, id, fields: RefundFields.all), title: "Refund",
      calls: calls, style: "button-danger"
    ).html
  }

  private var reversal: HTML {
    let form = CallForm(
      call: APICall("reverse", ControlEndpoints.reverseRefund, id), title: "Reverse refund",
      calls: calls, style: "button-primary")
    return "<p>The customer pays after all, and has what was bought again.</p>\(form.html)"
  }

  private var revocation: HTML {
    let name = stored.account.rawValue
    let form = CallForm(
      call: APICall(
        "revoke", ControlEndpoints.changeCustomer, record.environment.lowercaseName, name,
        fields: [.constant("family", .textOrNull, "")]),
      title: "End the sharing", calls: calls, style: "button-danger")
    return """
      <p>A share of the family has no price to give back: refund the purchase, or let \(HTML.shortName(name)) leave the family. \
      All that the family shared with this customer, and this customer with the family, is revoked then.</p>\(form.html)
      """
  }
}

enum RefundFields {
  static let all = [
    FormField(
      "reason", .number, "Reason", text: "0",
      input: .choice([.init("0", "Another reason"), .init("1", "An issue with the app")])),
    FormField(
      "percentage", .thousandths, "Share of the price, in percent", text: "100", input: .number,
      hint: "Up to three decimals. Less than 100 is a refund in part."),
  ]
}
