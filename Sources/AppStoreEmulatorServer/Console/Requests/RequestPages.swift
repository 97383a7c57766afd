import AppStoreEmulator
import Hummingbird

/// The route of `/console/requests`.
struct RequestPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/requests") { request, _ in
      try await console.answering(in: .requests) {
        let query = try RequestListQuery(ConsoleQuery(request))
        // Filtering all requests is fast, because the size of the journal is bounded.
        let found = console.store.requests(query.filter).filter { request in
          query.before.map { request.sequence < $0 } ?? true
        }
        let page = RequestListPage(
          query: query, requests: found.suffix(query.rows).reversed(), hasMore: found.count > query.rows,
          extent: console.store.requestJournalExtent, command: console.command(for: request))
        return console.page("Requests", in: .requests, page.html)
      }
    }
  }
}
