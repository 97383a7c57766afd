import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The routes of `/console/notifications` and of a notification's page.
struct NotificationPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/notifications") { request, _ in
      try await console.answering(in: .notifications, for: request) { try await list(request) }
    }
    router.get("/console/notifications/{uuid}") { request, context in
      try await console.answering(in: .notifications, for: request) {
        let page = NotificationPage(
          details: try await console.store.notification(try context.pathParameter("uuid")),
          calls: console.calls(for: request))
        return console.page(page.title, in: .notifications, for: request, page.html)
      }
    }
  }

  private func list(_ request: Request) async throws -> Response {
    let (query, store) = (try NotificationListQuery(AddressQuery(request)), console.store)
    let page = NotificationListPage(
      query: query, page: try await store.notifications(query.filter),
      apps: try await store.apps(limit: Choices.mostApps), policy: store.notificationPolicy,
      names: try await KnownNames(.customers, in: store), calls: console.calls(for: request))
    return console.page("Notifications", in: .notifications, for: request, page.html)
  }
}
