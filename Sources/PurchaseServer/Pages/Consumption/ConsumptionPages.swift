import APIDescription
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The list of the App Store's requests for information about consumption, newest first, and the page of one.
enum ConsumptionPages {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [
    (OperatorAddress.refundRequests, list), (OperatorAddress.refundRequest, request),
  ]

  private static let list: OperatorPages.PageMaker = { page in
    let (app, after, rows) = (page.app, page.query["after"], try page.rows())
    let state = try page.query.word("state", ConsumptionState.allCases)
    let list = try await page.answer(
      of: ServiceEndpoints.consumptionRequests, app,
      query: [("state", state?.rawValue), ("after", after), ("limit", "\(rows)")])
    func address(_ after: String?, _ rows: Int? = nil) -> String {
      OperatorAddress.refundRequests(of: app, state: state?.rawValue, after: after, rows: rows)
    }
    let filter = FilterForm(
      OperatorAddress.refundRequests,
      [
        page.appFilter(),
        FilterForm.choices(
          "state", "State", ConsumptionState.allCases.map { ($0.rawValue, $0.rawValue) }, chosen: state?.rawValue),
      ], all: OperatorAddress.refundRequests(of: app))
    let table = DataTable(
      caption: "Refund requests, newest first",
      columns: ["Requested", "State", "Reason", "Transaction", "Customer", "Consent", "Deadline"],
      rows: list.requests.map { row($0, of: app) }
    ).html(orNone: "There is no such request. The server keeps them for \(Ledger.notificationDays) days.")
    let end = ListEnd(rows: rows, older: list.next.map { address($0.text) }) { address(after, $0) }
    return page.page(
      "Refund requests",
      """
      <h1>Refund requests</h1><p>The App Store asks what was consumed of a purchase whose refund a customer has asked for.</p>
      \(filter.html)<div id="requests" data-live>\(table)\(end.html)</div>
      """)
  }

  private static func row(_ request: RecordedConsumptionRequest, of app: String) -> [HTML] {
    let address = OperatorAddress.refundRequest(request.uuid, of: app)
    return [
      "<a href=\"\(address)\"><span class=\"sr-only\">Request </span>\(request.requested.html)</a>", request.stateBadge,
      request.reason.map { "<span class=\"mono small\">\(HTML.constant($0))</span>" } ?? "", request.transactionLink,
      request.customerLink, request.hasConsent ? "yes" : "no", request.deadline.html,
    ]
  }

  private static let request: OperatorPages.PageMaker = { page in
    let (app, uuid) = (try page.query.required("app"), try page.query.required("uuid"))
    let view = try await page.answer(of: ServiceEndpoints.consumptionRequest, app, uuid)
    return page.page("Refund request", ConsumptionPage(view: view, app: app, page: page).html)
  }
}

/// The page of a request: what would be sent for it, and the form that answers it.
struct ConsumptionPage {
  let view: ConsumptionRequestWithValuesView
  let app: String
  let page: OperatorPageRequest

  private static let answering = EndpointFields(of: ServiceEndpoints.answerConsumptionRequest.endpoint)

  private var request: RecordedConsumptionRequest { view.request }

  var html: HTML {
    """
    <p class="crumb"><a href="\(OperatorAddress.refundRequests(of: app))">Refund requests</a></p>
    <div class="headline" id="head" data-live><h1>Refund request</h1>\(request.stateBadge)</div>
    <div class="record">
    <section class="card" id="properties" data-live aria-labelledby="properties-title"><h2 id="properties-title">Properties</h2>
    \(properties)</section>
    <div id="actions" data-live>\(answer)</div>
    </div>
    <div class="two">
    <section class="card" id="chosen" data-live aria-labelledby="chosen-title"><h2 id="chosen-title">\
    \(request.state == .answered ? "What was sent" : "What an operator has chosen")</h2>\(Self.values(request.values))</section>
    <section class="card" id="computed" data-live aria-labelledby="computed-title"><h2 id="computed-title">What would be sent now</h2>
    \(view.computed.map(Self.values) ?? "<p>Nothing would be sent.</p>")</section>
    </div>
    """
  }

  private var properties: HTML {
    var list = DetailList()
    list.add("Problem", request.problem.map { HTML.name($0) })
    list.add("Reason", request.reason.map { "<span class=\"mono\">\(HTML.constant($0))</span>" })
    list.add("Requested", request.requested.html)
    list.add("Deadline", request.deadline.html)
    list.add("Settled", request.settled.map(\.html))
    list.add("Customer", request.customer == nil ? "nobody has claimed the purchase" : request.customerLink)
    list.add("Consent", text: request.hasConsent ? "yes" : "no: nothing is sent without it")
    list.add("Consent with which it was sent", request.consented.map(\.html))
    list.add("Transaction", request.transactionLink)
    list.add("Type", text: request.type.text)
    list.add("App", chosen: app)
    list.add("Environment", text: request.environment.rawValue)
    list.add("Attempts", text: "\(request.attempts)")
    list.add("notificationUUID", "<span class=\"mono\">\(request.uuid)</span>")
    return list.html
  }

  private static func values(_ values: ConsumptionValues) -> HTML {
    var list = DetailList()
    list.add("Refund preference", text: values.refundPreference?.rawValue)
    list.add("Delivery", text: values.deliveryStatus?.rawValue)
    list.add("Consumed", text: values.consumptionPercentage.map { "\(Double($0) / 1_000) %" })
    list.add("Sample content", text: values.sampleContentProvided.map { $0 ? "provided" : "not provided" })
    return values == ConsumptionValues() ? "<p>No value.</p>" : list.html
  }

  private var answer: HTML {
    guard request.state == .waiting, page.site.allows(ServiceEndpoints.answerConsumptionRequest) else { return "" }
    let fields = Self.answering
    let call = APICall(
      "answer", ServiceEndpoints.answerConsumptionRequest, app, request.uuid,
      fields: [
        Self.optional(
          fields.field("refundPreference", "Refund preference", hint: "The App Store decides."), none: "none"),
        Self.optional(fields.field("deliveryStatus", "Delivery")),
        fields.field(
          "consumptionPercentage", "Consumed, in thousandths of a percent",
          hint: "0 to 100,000. Empty: what the ledger knows. Not of auto-renewable subscriptions."),
        Self.optional(
          fields.field(
            "sampleContentProvided", "Sample content",
            input: .choice([.init("true", "provided"), .init("false", "not provided")]))), fields.reason,
      ])
    let form = CallForm(
      call: call, title: "Answer", calls: page.calls, style: "button-primary", done: "The server sends the answer.")
    return """
      <section class="card" aria-labelledby="answer-title"><h2 id="answer-title">Answer</h2>
      <p>The server sends it to the App Store, if the customer consents.</p>\(form.html)</section>
      """
  }

  /// The field with a choice for no value. It is selected, so that only what the operator chooses is stored as chosen.
  ///
  /// - Parameter title: the title of this choice.
  private static func optional(_ field: FormField, none title: String = "as the server computes") -> FormField {
    guard case .choice(let choices) = field.input else { return field }
    return FormField(
      field.name, field.kind, field.label, input: .choice([.init("", title)] + choices), hint: field.hint)
  }
}

extension RecordedConsumptionRequest {
  fileprivate var stateBadge: HTML {
    let style: HTML =
      switch state {
      case .answered: "badge-good"
      case .waiting, .open: "badge-wait"
      case .refused, .expired: "badge-bad"
      default: ""
      }
    return "<span class=\"badge \(style)\">\(state.rawValue)</span>"
  }

  /// A link to the customer of the purchase.
  fileprivate var transactionLink: HTML {
    "<a class=\"mono\" href=\"\(OperatorAddress.search(originalTransactionId.rawValue))\">\(transactionId.rawValue)</a>"
  }

  fileprivate var customerLink: HTML {
    customer.map { "<a class=\"mono small\" href=\"\(OperatorAddress.customer($0))\">\($0.description)</a>" } ?? ""
  }
}
