import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The routes of `/console/requests` and of a request's page.
struct RequestPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/requests") { request, _ in
      try await console.answering(in: .requests, for: request) { try await list(request) }
    }
    router.get("/console/requests/{sequence}") { request, context in
      try await console.answering(in: .requests, for: request) {
        let text = try context.parameters.require("sequence")
        guard let sequence = Int64(text) else {
          throw PageRefusal(.notFound, "\(text) is no number of a request.")
        }
        let page = RequestPage(details: try console.store.request(sequence), calls: console.calls(for: request))
        return console.page("Request \(sequence)", in: .requests, for: request, page.html)
      }
    }
  }

  private func list(_ request: Request) async throws -> Response {
    let (query, store) = (try RequestListQuery(AddressQuery(request)), console.store)
    // Filtering all requests is fast, because the size of the journal is bounded.
    let found = store.requests(query.filter)
    let listed = query.showsPolls ? found : found.filter { !$0.isIdlePoll }
    let onPages = listed.filter { request in query.before.map { request.sequence < $0 } ?? true }
    let page = RequestListPage(
      query: query, requests: onPages.suffix(query.rows).reversed(), hasMore: onPages.count > query.rows,
      hiddenPolls: found.count - listed.count, extent: store.requestJournalExtent,
      apps: try await store.apps(limit: Choices.mostApps),
      names: try await KnownNames(.customers, .products, .installations, .faults, in: store),
      calls: console.calls(for: request))
    return console.page("Requests", in: .requests, for: request, page.html)
  }
}
