import AppStoreEmulator
import AppStoreServerAPI
import ControlAPI
import Foundation
import StoreModel
import WebSupport

/// A customer's requests for a refund of a transaction, with what the developer's server told about it, and the forms to ask for a
/// refund and to decide.
struct RefundRequestCard {
  let stored: StoredTransaction
  /// Oldest first.
  let requests: [RequestedRefund]
  let calls: CallContext

  /// The maximum number of requests that are shown: the newest.
  static let largestNumber = 10

  private var id: String { stored.record.transactionID.rawValue }

  /// Empty if the customer cannot ask, and has not asked.
  var html: HTML {
    guard !requests.isEmpty || canAsk else { return "" }
    return """
      <section class="card" aria-labelledby="refund-requests-title"><h2 id="refund-requests-title">Refund requests</h2>
      \(requests.suffix(Self.largestNumber).reversed().map(details))\(requests.isEmpty ? "" : answer)\(form)</section>
      """
  }

  private var canAsk: Bool {
    stored.sharedTransactionID == nil && stored.record.revocationDate == nil && !stored.record.isUpgraded
  }

  private var open: RequestedRefund? { requests.last { $0.outcome == nil } }

  private var form: HTML {
    guard canAsk else { return "" }
    if let open { return decision(on: open).html }
    return """
      <p>The customer asks Apple for a refund. Your server receives CONSUMPTION_REQUEST, and can answer before you decide.</p>
      \(asking.html)
      """
  }

  private var asking: CallForm {
    CallForm(
      call: APICall(
        "ask", ControlEndpoints.requestRefund, id,
        fields: [
          FormField(
            "reason", .text, "The customer’s reason", text: ConsumptionRequestReason.other.rawValue,
            input: .choice(ConsumptionRequestReason.allCases.map { .init($0.rawValue, Self.title($0)) }))
        ]), title: "Request a refund", calls: calls, done: "It waits for a decision.")
  }

  private func decision(on request: RequestedRefund) -> CallForm {
    CallForm(
      call: APICall(
        "decide", ControlEndpoints.decideRefundRequest, id, "\(request.number)",
        fields: [
          FormField(
            "outcome", .text, "Decision", text: RequestedRefund.Outcome.full.rawValue,
            input: .choice(RequestedRefund.Outcome.allCases.map { .init($0.rawValue, Self.title($0)) })),
          FormField(
            "percentage", .thousandths, "Share of the price, in percent", text: "50", input: .number,
            hint: "Up to three decimals.",
            when: .init(name: "outcome", values: [RequestedRefund.Outcome.prorated.rawValue])),
        ]), title: "Decide", calls: calls, style: "button-primary", done: "It is decided.")
  }

  private func details(_ request: RequestedRefund) -> HTML {
    var list = DetailList()
    list.add("Asked", request.date.html)
    list.add("Reason", text: Self.title(request.reason))
    list.add("Decision", badge(request))
    list.add("Decided", request.decisionDate.map(\.html))
    return list.html
  }

  private func badge(_ request: RequestedRefund) -> HTML {
    switch request.outcome {
    case nil: "<span class=\"badge badge-wait\">waiting for a decision</span>"
    case .declined: "<span class=\"badge\">declined</span>"
    case .full: "<span class=\"badge badge-bad\">refunded</span>"
    case .prorated:
      "<span class=\"badge badge-bad\">refunded in part\(request.percentage.map { " (\(Percentage.text($0)))" } ?? "")</span>"
    }
  }

  /// What the developer's server told last. It is about the transaction, not about one request.
  private var answer: HTML {
    guard let told = requests.last?.consumption else {
      return "<p class=\"muted\">Your server has sent no consumption information.</p>"
    }
    return """
      <h3>Consumption information</h3><p class="small muted">Your server sent it \(told.date.html), with version \(told.version) of the \
      endpoint.</p>
      \(CopyableText(id: "consumption", title: "consumption information", text: PrettyJSON.text(Data(told.content.utf8))).html)
      """
  }

  static func title(_ reason: ConsumptionRequestReason) -> String {
    switch reason {
    case .unintendedPurchase: "Unintended purchase"
    case .fulfillmentIssue: "Fulfillment issue"
    case .unsatisfiedWithPurchase: "Unsatisfied with the purchase"
    case .legal: "Legal reasons"
    case .other: "Another reason"
    }
  }

  private static func title(_ outcome: RequestedRefund.Outcome) -> String {
    switch outcome {
    case .full: "Refund in full"
    case .prorated: "Refund in part"
    case .declined: "Decline"
    }
  }
}
