import AppStoreEmulator
import StoreModel
import WebSupport

/// The request journal, newest first.
struct RequestListPage {
  let query: RequestListQuery
  /// The requests on the page, newest first.
  let requests: [JournaledRequest]
  let hasMore: Bool
  let extent: RequestJournalExtent
  let command: ShellCommand

  var html: HTML {
    """
    <h1>Requests</h1>
    \(filters)
    <div id="requests" data-live><p class="count">\(text)</p>\(table)\(further)</div>
    <section class="card" aria-labelledby="clear-title"><h2 id="clear-title">Empty the journal</h2>
    \(clearing.html)</section>
    """
  }

  private var clearing: CallForm {
    CallForm(
      call: ControlCall("clear", .delete, "requests"), title: "Empty", command: command, style: "button-danger",
      done: "Emptied.")
  }

  private var text: String {
    let dropped = extent.dropped > 0 ? "; \(extent.dropped) earlier ones were dropped, because it was full" : ""
    return "The journal holds \(extent.kept) requests of devices and of verifyReceipt\(dropped)."
  }

  private var filters: HTML {
    let filter = query.filter
    func line(_ name: String, _ label: String, _ value: String?) -> HTML {
      """
      <div class="field field-name"><label for="\(name)">\(label)</label>\
      <input type="text" id="\(name)" name="\(name)" value="\(value ?? "")"></div>
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
      \(line("customer", "Customer", filter.customer?.rawValue))\(line("product", "Product id", filter.productID?.rawValue))
      \(line("transaction", "Transaction", filter.transactionID?.rawValue))\(line("installation", "Installation", filter.installationID?.rawValue))
      \(line("app", "App", filter.bundleID?.rawValue))\(line("fault", "Fault", filter.faultID?.rawValue))
      <button type="submit">Find</button><a class="button button-plain" href="/console/requests">All</a></form>
      """
  }

  private var table: HTML {
    guard !requests.isEmpty else { return "<p class=\"card\">No request is like that.</p>" }
    return DataTable(
      caption: "Requests, newest first",
      columns: [
        .init("Number"), .init("Time"), .init("Call"), .init("How it ended"), .init("Customer"), .init("About"),
        .init("Installation"), .init("Environment"),
      ], rows: requests.map(row)
    ).html
  }

  private func row(_ request: JournaledRequest) -> [HTML] {
    let metadata = request.metadata
    return [
      "\(request.sequence)", request.date.html, "<span class=\"mono\">\(metadata.kind.rawValue)</span>",
      outcome(request), metadata.customer.map { .shortName($0.rawValue, limit: 40) } ?? "", subject(metadata),
      metadata.installationID.map { .shortName($0.rawValue, limit: 40) } ?? "", "\(metadata.environment?.rawValue)",
    ]
  }

  private func outcome(_ request: JournaledRequest) -> HTML {
    let style =
      switch request.outcome {
      case .answered: "badge-good"
      case .status(let status): status == 0 ? "badge-good" : "badge-wait"
      case .underWay: "badge-wait"
      case .refused, .serverError, .noAnswer, .failed: "badge-bad"
      }
    let fault: HTML =
      request.fault.map {
        "<span class=\"sub\">fault \(HTML.shortName($0.id.rawValue, limit: 40)) (\($0.kind))</span>"
      } ?? ""
    return "<span class=\"badge \(style)\">\(OutcomeText.text(request.outcome))</span>\(fault)"
  }

  private func subject(_ metadata: RequestMetadata) -> HTML {
    let transaction: HTML =
      metadata.transactionID.map {
        "<a class=\"mono\" href=\"\(ConsoleAddress.transaction($0))\">\($0.rawValue)</a>"
      } ?? ""
    let products = metadata.productIDs.prefix(3).map(\.rawValue).joined(separator: ", ")
    let more = metadata.productIDs.count > 3 ? " and \(metadata.productIDs.count - 3) more" : ""
    return "\(transaction)\(products.isEmpty ? "" : HTML.shortName(products + more, limit: 100))"
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
