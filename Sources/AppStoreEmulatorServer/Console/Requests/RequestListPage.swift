import AppStoreEmulator
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
  let command: ShellCommand

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
      call: ControlCall("clear", .delete, "requests"), title: "Empty", command: command, style: "button-danger",
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
    func line(_ name: String, _ label: String, _ value: String?, _ list: KnownNames.List? = nil) -> HTML {
      """
      <div class="field field-name"><label for="\(name)">\(label)</label>\
      <input type="text" id="\(name)" name="\(name)"\(list?.attribute) value="\(value ?? "")"></div>
      """
    }
    let calls = Choices.html(
      "call", "Call", RequestKind.allCases.map { ($0.rawValue, $0.rawValue) }, chosen: filter.kind?.rawValue)
    let outcomes = Choices.html(
      "outcome", "How it ended", RequestOutcome.Name.allCases.map { ($0.rawValue, OutcomeText.title($0)) },
      chosen: filter.outcome?.rawValue)
    return """
      <form class="filters" role="search" action="/console/requests" method="get">
      \(calls)\(outcomes)\(Choices.environments(chosen: filter.environment))
      \(line("customer", "Customer", filter.customer?.rawValue, .customers))\(line("product", "Product id", filter.productID?.rawValue, .products))
      \(line("transaction", "Transaction", filter.transactionID?.rawValue))\(line("installation", "Installation", filter.installationID?.rawValue, .installations))
      \(Choices.apps(apps, chosen: filter.bundleID))\(line("fault", "Fault", filter.faultID?.rawValue, .faults))
      \("<input type=\"hidden\" name=\"polls\" value=\"shown\">", if: query.choosesPolls)
      <button type="submit">Find</button><a class="button button-plain" href="/console/requests">All</a></form>
      """
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
    guard hasMore, let last = requests.last else { return "" }
    let rows = min(query.rows + RequestListQuery.pageSize, RequestListQuery.largestPage)
    let more: HTML =
      query.rows < RequestListQuery.largestPage
      ? "<a class=\"button\" data-more href=\"\(query.address(before: query.before, rows: rows))\">Show more</a>" : ""
    return
      "<p class=\"older\">\(more)<a class=\"button\" href=\"\(query.address(before: last.sequence))\">Older</a></p>"
  }
}
