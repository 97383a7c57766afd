import APIDescription
import PurchaseLedger
import StoreModel
import WebSupport

/// The page of a webhook: its settings, the forms that test, change, rotate and remove it, and its messages.
struct WebhookPage {
  let webhook: WebhookView
  let deliveries: WebhookDeliveryList
  /// The state of the messages that are listed; nil for all.
  let state: WebhookDelivery.State?
  /// Where the list begins; nil for the newest message.
  let after: String?
  let rows: Int
  let page: OperatorPageRequest

  private static let testing = EndpointFields(of: ServiceEndpoints.testWebhook.endpoint)
  private static let rotating = EndpointFields(of: ServiceEndpoints.rotateWebhookSecret.endpoint)
  private static let removing = EndpointFields(ofQuery: ServiceEndpoints.removeWebhook.endpoint)
  private static let resending = EndpointFields(of: ServiceEndpoints.resendWebhookDelivery.endpoint)
  private static let changing = EndpointFields(of: ServiceEndpoints.changeWebhook.endpoint)

  var html: HTML {
    """
    <p class="crumb"><a href="\(OperatorAddress.webhooks)">Webhooks</a></p>
    <div class="headline" id="head" data-live><h1>\(HTML.name(webhook.name))</h1>\(webhook.stateBadge)</div>
    <section class="card" id="properties" data-live aria-labelledby="properties-title"><h2 id="properties-title">Properties</h2>
    \(properties)</section>
    <section id="messages" aria-labelledby="messages-title"><h2 id="messages-title">Messages</h2>
    \(filter)<div id="deliveries" data-live>\(table)\(end)</div></section>
    \(test)\(change)<div id="switching" data-live>\(switching)</div>\(rotation)\(removal)
    """
  }

  private var properties: HTML {
    var list = DetailList()
    list.add("Problem", webhook.problem.map { HTML.name($0) })
    list.add("Disabled", webhook.disabled.map(\.html))
    list.add("URL", chosen: webhook.url)
    list.add("Types", names(webhook.types?.map(\.rawValue), orNone: "all types"))
    list.add("Environments", text: webhook.environments.map(\.rawValue).joined(separator: ", "))
    list.add("Apps", names(webhook.apps?.map(\.rawValue), orNone: "all apps"))
    list.add("Created", webhook.created.html)
    list.add("Changed", webhook.changed.html)
    list.add("The secret before also signs until", webhook.previousSecretUntil.map(\.html))
    list.add("Id", "<span class=\"mono\">\(webhook.id)</span>")
    return list.html
  }

  private func names(_ names: [String]?, orNone text: HTML) -> HTML {
    guard let names else { return text }
    return "\(names.enumerated().map { ($0 == 0 ? "\(HTML.constant($1))" : ", \(HTML.constant($1))") as HTML })"
  }

  // MARK: Messages

  private func address(_ after: String?, _ rows: Int? = nil) -> String {
    OperatorAddress.webhook(webhook.id, state: state?.rawValue, after: after, rows: rows)
  }

  private var filter: HTML {
    let id: HTML = "<input type=\"hidden\" name=\"id\" value=\"\(webhook.id)\">"
    let states = FilterForm.choices(
      "state", "State", WebhookDelivery.State.allCases.map { ($0.rawValue, $0.rawValue) }, chosen: state?.rawValue)
    return FilterForm(OperatorAddress.webhook, [id, states], all: OperatorAddress.webhook(webhook.id)).html
  }

  private var table: HTML {
    DataTable(
      caption: "Messages, newest first",
      columns: ["Number", "Type", "State", "Attempts", "Next attempt", "Answer", "Customer", "Created", "Send again"],
      rows: deliveries.deliveries.map(row)
    ).html(orNone: "There is no such message. Delivered ones are kept for \(WebhookDelivery.deliveredDays) days.")
  }

  private var end: HTML {
    ListEnd(rows: rows, older: deliveries.next.map { address($0.text) }) { address(after, $0) }.html
  }

  private func row(_ delivery: WebhookDeliveryView) -> [HTML] {
    let number: HTML = "<span title=\"\(delivery.message)\">\(delivery.number)</span>"
    let type: HTML = "<span class=\"mono small\">\(HTML.constant(delivery.type.rawValue))</span>"
    let customer = delivery.customer.map { customer -> HTML in
      "<a class=\"mono small\" href=\"\(OperatorAddress.customer(customer))\">\(customer.description)</a>"
    }
    let next: HTML = delivery.state == .waiting ? delivery.due.map(\.html) ?? "after earlier ones" : ""
    return [
      number, type, delivery.stateBadge, "\(delivery.attempts)", next, delivery.answer, customer ?? "",
      delivery.created.html, delivery.settled == nil ? "" : resend(delivery),
    ]
  }

  private func resend(_ delivery: WebhookDeliveryView) -> HTML {
    let number = "\(delivery.number)"
    let call = APICall(
      APICall.id("resend", ofRow: number), ServiceEndpoints.resendWebhookDelivery, webhook.id, number,
      fields: [Self.resending.reason])
    let form = CallForm(
      call: call, title: "Send again", calls: page.calls, done: "It is sent again.", isCompact: true)
    return """
      <details id="\(call.id)-open"><summary>Send again<span class="sr-only"> message \(number)</span></summary>\
      \(form.html)</details>
      """
  }

  // MARK: Forms

  private var test: HTML {
    let call = APICall("test", ServiceEndpoints.testWebhook, webhook.id, fields: [Self.testing.reason])
    let form = CallForm(
      call: call, title: "Send a test", calls: page.calls, style: "button-primary", done: "The test is sent.")
    return card("test", "Test", "Sends a message of the type TEST.", form)
  }

  private var change: HTML {
    let call = APICall(
      "change", ServiceEndpoints.changeWebhook, webhook.id,
      fields: WebhookFields(of: ServiceEndpoints.changeWebhook.endpoint, apps: page.apps).all(webhook))
    let form = CallForm(call: call, title: "Change", calls: page.calls, done: "Changed.")
    return card("change", "Change", "Messages that wait are sent to the new URL.", form)
  }

  private var switching: HTML {
    let isDisabled = webhook.disabled != nil
    let call = APICall(
      "switch", ServiceEndpoints.changeWebhook, webhook.id,
      fields: [Self.changing.constant("isDisabled", "\(!isDisabled)"), Self.changing.reason])
    let form = CallForm(
      call: call, title: isDisabled ? "Enable" : "Disable", calls: page.calls,
      done: isDisabled ? "It is enabled." : "It is disabled.")
    return card(
      "switch", isDisabled ? "Enable" : "Disable",
      isDisabled
        ? "It goes on where it has stopped: the messages since then follow."
        : "Nothing is sent until it is enabled again. No message is lost.", form)
  }

  private var rotation: HTML {
    let call = APICall("rotate", ServiceEndpoints.rotateWebhookSecret, webhook.id, fields: [Self.rotating.reason])
    let form = CallForm(call: call, title: "Replace the secret", calls: page.calls, done: "", reveals: "secret")
    return card(
      "rotate", "Replace the secret",
      "The new secret is shown once. For 24 hours, messages are signed with both.", form)
  }

  private var removal: HTML {
    let call = APICall(
      "remove", ServiceEndpoints.removeWebhook, webhook.id, fields: [Self.removing.reason], in: .query)
    let form = CallForm(
      call: call, title: "Remove", calls: page.calls, style: "button-danger", done: "Removed.",
      next: OperatorAddress.webhooks, confirmation: "Remove it with all its messages")
    return card("remove", "Remove", "A new webhook can begin at any cursor.", form)
  }

  private func card(_ id: String, _ title: String, _ text: String, _ form: CallForm) -> HTML {
    """
    <section class="card" aria-labelledby="\(id)-title"><h2 id="\(id)-title">\(title)</h2><p>\(text)</p>\(form.html)</section>
    """
  }
}

extension WebhookDeliveryView {
  fileprivate var stateBadge: HTML {
    let style: HTML =
      switch state {
      case .delivered: "badge-good"
      case .waiting, .sending: "badge-wait"
      case .dead: "badge-bad"
      }
    return "<span class=\"badge \(style)\">\(state.rawValue)</span>"
  }

  /// The status of the last attempt, and why it has failed.
  fileprivate var answer: HTML {
    if let problem { return .shortName(problem, limit: 600) }
    return status.map { "HTTP \($0)" } ?? ""
  }
}
