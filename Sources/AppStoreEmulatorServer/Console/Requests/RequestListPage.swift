import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The request journal, newest first.
struct RequestListPage {
  let query: RequestListQuery
  /// The requests on the page, newest first.
  let requests: [JournaledRequest]
  let hasMore: Bool
  /// The number of requests that are not on any page, because they waited for changes and there were none.
  let hiddenPolls: Int
  let extent: RequestJournalExtent
  let apps: [StoreApp]
  let names: KnownNames
  let calls: CallContext

  var html: HTML {
    """
    <h1>Requests</h1>
    \(filters)
    <div id="requests" data-live><p class="count">\(text)\(polls)</p>\(table)\(further)</div>
    <section class="card" aria-labelledby="clear-title"><h2 id="clear-title">Empty the journal</h2>
    \(clearing.html)</section>
    \(names.html)
    """
  }

  private var clearing: CallForm {
    CallForm(
      call: APICall("clear", ControlEndpoints.removeRequests), title: "Empty", calls: calls, style: "button-danger",
      done: "Emptied.")
  }

  private var text: String {
    let dropped = extent.dropped > 0 ? "; \(extent.dropped) earlier ones were dropped, because it was full" : ""
    return "The journal holds \(extent.kept) requests of devices and servers\(dropped)."
  }

  /// The number of hidden calls in which devices only waited for changes, with a link that shows them. If they are
  /// shown, a link that hides them.
  private var polls: HTML {
    if query.showsPolls {
      return query.choosesPolls ? " · <a href=\"\(query.address(showsPolls: false))\">Hide polls</a>" : ""
    }
    guard hiddenPolls > 0 else { return "" }
    return """
       · \(hiddenPolls == 1 ? "1 poll" : "\(hiddenPolls) polls") hidden · \
      <a href="\(query.address(showsPolls: true))">show<span class="sr-only"> the polls</span></a>
      """
  }

  private var filters: HTML {
    let filter = query.filter
    let calls = FilterForm.choices(
      "call", "Call", RequestKind.allCases.map { ($0.rawValue, $0.rawValue) }, chosen: filter.kind?.rawValue)
    let outcomes = FilterForm.choices(
      "outcome", "How it ended", RequestOutcome.Name.allCases.map { ($0.rawValue, OutcomeText.title($0)) },
      chosen: filter.outcome?.rawValue)
    return FilterForm(
      "/console/requests",
      [
        calls, outcomes, Choices.environments(chosen: filter.environment),
        FilterForm.line("customer", "Customer", filter.customer?.rawValue, .customers),
        FilterForm.line("product", "Product id", filter.productID?.rawValue, .products),
        FilterForm.line("transaction", "Transaction", filter.transactionID?.rawValue),
        FilterForm.line("installation", "Installation", filter.installationID?.rawValue, .installations),
        Choices.apps(apps, chosen: filter.bundleID),
        FilterForm.line("fault", "Fault", filter.faultID?.rawValue, .faults),
        query.choosesPolls ? "<input type=\"hidden\" name=\"polls\" value=\"shown\">" : "",
      ], all: "/console/requests"
    ).html
  }

  private var table: HTML {
    guard !requests.isEmpty else { return "<p class=\"card\">No request is like that.</p>" }
    return DataTable(
      caption: "Requests, newest first",
      columns: [
        .init("Number"), .init("Time"), .init("Call"), .init("How it ended"), .init("Duration", isNumber: true),
        .init("Customer"), .init("About"), .init("Installation"), .init("Environment"),
      ], rows: requests.map(row)
    ).html
  }

  private func row(_ request: JournaledRequest) -> [HTML] {
    let metadata = request.metadata
    return [
      """
      <a href="\(ConsoleAddress.request(request.sequence))" id="r-\(request.sequence)"><span class="sr-only">Request </span>\
      \(request.sequence)</a>
      """,
      request.date.html, "<span class=\"mono\">\(metadata.kind.rawValue)</span>", OutcomeView(request: request).html,
      "\(request.durationMicroseconds.map(DurationText.text))",
      metadata.customer.map { .shortName($0.rawValue, limit: 40) } ?? "", subject(metadata),
      metadata.installationID.map { .shortName($0.rawValue, limit: 40) } ?? "", "\(metadata.environment?.rawValue)",
    ]
  }

  private func subject(_ metadata: RequestMetadata) -> HTML {
    let transaction: HTML =
      metadata.transactionID.map {
        "<a class=\"mono\" href=\"\(ConsoleAddress.transaction($0))\">\($0.rawValue)</a>"
      } ?? ""
    let products = metadata.productIDs.prefix(3).map(\.rawValue).joined(separator: ", ")
    let more = metadata.productIDs.count > 3 ? " and \(metadata.productIDs.count - 3) more" : ""
    return "\(transaction)\(products.isEmpty ? "" : HTML.identifier(products + more, limit: 100))"
  }

  private var further: HTML {
    ListEnd(rows: query.rows, older: hasMore ? requests.last.map { query.address(before: $0.sequence) } : nil) {
      query.address(before: query.before, rows: $0)
    }.html
  }
}
