import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The route of a subscription's page.
struct SubscriptionPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/subscriptions/{id}") { request, context in
      try await console.answering(in: .customers, for: request) {
        let text = try context.pathParameter("id")
        guard let id = TransactionID(rawValue: text) else {
          throw PageRefusal(.notFound, "\(text) is no transaction id; those are decimal digits.")
        }
        return try await page(id, request)
      }
    }
  }

  private func page(_ id: TransactionID, _ request: Request) async throws -> Response {
    let store = console.store
    let subscription = try await store.subscription(id)
    let page = SubscriptionPage(
      subscription: subscription,
      history: try await store.history(ofSubscription: id, limit: SubscriptionPage.largestNumber),
      customer: try? await store.customer(subscription.account, subscription.environment),
      names: try await ProductNames(
        of: [subscription.productID, subscription.renewalProductID].map { (subscription.bundleID, $0) }, in: store),
      now: store.clock.now, calls: console.calls(for: request))
    return console.page("Subscription", in: .customers, for: request, page.html)
  }
}
