import AppStoreEmulator
import ControlAPI
import Foundation
import StoreModel
import WebSupport

/// The page of a request: its properties, its body and that of its answer.
struct RequestPage {
  let details: RequestDetails
  let calls: CallContext

  private var request: JournaledRequest { details.request }
  private var metadata: RequestMetadata { request.metadata }

  var html: HTML {
    """
    <p class="crumb"><a href="/console/requests">Requests</a></p>
    <h1>Request \(request.sequence): \(metadata.kind.rawValue)</h1>
    <section class="card" id="properties" data-live aria-labelledby="properties-title"><h2 id="properties-title">Properties</h2>
    \(properties)</section>
    <div class="two">
    <section class="card" id="request" data-live aria-labelledby="request-title"><h2 id="request-title">Request</h2>
    \(body(details.requestBody, id: "request-body", title: "request", absence: "The journal keeps the bodies of the newest requests only."))</section>
    <section class="card" id="answer" data-live aria-labelledby="answer-title"><h2 id="answer-title">Answer</h2>
    \(body(details.answerBody, id: "answer-body", title: "answer", absence: absenceOfAnswer))</section>
    </div>
    \(CommandView(id: "journal", title: "this request", text: calls.command(of: APICall("", ControlEndpoints.request, "\(request.sequence)"))).html)
    """
  }

  private var properties: HTML {
    var list = DetailList()
    list.add("Time", request.date.html)
    list.add("How it ended", OutcomeView(request: request).html)
    list.add("Reason", chosen: request.reason)
    list.add("Duration", text: request.durationMicroseconds.map(DurationText.text))
    list.add("Customer", customer)
    list.add("Transaction", metadata.transactionID.map(transaction))
    list.add("Payment", chosen: metadata.paymentID?.rawValue)
    for product in metadata.productIDs { list.add("Product", chosen: product.rawValue) }
    list.add("App", chosen: metadata.bundleID?.rawValue)
    list.add("Installation", chosen: metadata.installationID?.rawValue)
    list.add("Environment", text: metadata.environment?.rawValue)
    return list.html
  }

  private var customer: HTML? {
    guard let customer = metadata.customer else { return nil }
    guard let environment = metadata.environment else { return .name(customer.rawValue) }
    return ConsoleAddress.link(ConsoleAddress.customer(customer, environment), .name(customer.rawValue))
  }

  private func transaction(_ id: TransactionID) -> HTML {
    "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(id))\">\(id.rawValue)</a>"
  }

  private var absenceOfAnswer: String {
    switch request.outcome {
    case .underWay: "There is no answer yet."
    case .noAnswer: "The caller received no answer."
    case .serverError(let status): "The answer was HTTP \(status) without a JSON body."
    case .failed: "The store failed. Its log has the reason."
    case .answered, .refused, .status: "The journal keeps the bodies of the newest requests only."
    }
  }

  private func body(_ body: JournaledBody?, id: String, title: String, absence: String) -> HTML {
    guard let body else { return "<p class=\"muted\">\(absence)</p>" }
    let cut: HTML =
      body.isCut
      ? "<p class=\"small muted\">It is longer: these are its first \(JournaledBody.largestSize >> 10) KiB.</p>" : ""
    let text = body.isCut ? body.json : PrettyJSON.text(Data(body.json.utf8))
    return """
      <div class="copyable"><pre id="\(id)" tabindex="0" aria-label="Body of the \(title)">\(text)</pre>\
      \(CopyableText.button(of: id, what: title))</div>\(cut)
      """
  }
}
