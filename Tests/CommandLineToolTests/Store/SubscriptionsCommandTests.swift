import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit subscriptions", .timeLimit(.minutes(30)))
struct SubscriptionsCommandTests {
  /// Puts a subscription on sale beside the florist's products, and subscribes the customer.
  private func subscribe(_ store: RunningStore) async throws -> String {
    let bouquets = ProductDefinition(
      productID: "org.example.florist.bouquets", type: .autoRenewableSubscription, price: Milliunits(9_000),
      subscription: SubscriptionTerms(
        groupID: "bouquets", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month), offers: []))
    try await store.store.serve(RunningStore.app, catalog: [StoreKitConfiguration(products: [bouquets])])
    return try await store.buy("org.example.florist.bouquets")
  }

  @Test("A1 lists a customer's subscriptions, shows one with its history, and cancels and extends it")
  func subscriptions() async throws {
    try await RunningStore.open { store in
      let nothing = try await store.run("subscriptions")
      #expect((nothing.status, nothing.output, nothing.messages) == (0, "", "No subscriptions.\n"))
      let id = try await subscribe(store)
      let list = try await store.run("subscriptions", "list", "--customer", "customer")
      #expect(list.lines.count == 2)
      #expect(list.lines.last?.hasPrefix(id) == true)
      #expect(list.lines.last?.contains("active") == true && list.lines.last?.contains("9.00 USD") == true)

      let changed = try await store.run(
        "subscriptions", "change", id, "--auto-renew", "off", "--extend-to", "2026-08-10T12:00:00Z")
      #expect(changed.status == 0)
      #expect(changed.lines.contains { $0.hasPrefix("renews") && $0.hasSuffix("no") })
      #expect(changed.lines.contains { $0.hasPrefix("period ends") && $0.hasSuffix("2026-08-10 12:00:00Z") })
      try await store.store.changeClock(.advance(milliseconds: 50 * 86_400_000))
      let shown = try await store.run("subscriptions", "show", id)
      #expect(shown.lines.contains { $0.hasPrefix("expired because") && $0.hasSuffix("The customer cancelled.") })
      #expect(
        shown.lines.suffix(4).map { String($0.dropFirst(22)) } == [
          "Subscribed", "Renewal date extended", "Automatic renewal turned off", "Expired",
        ])
      let document = try await store.run("subscriptions", "show", id, "--json").json
      #expect((document?["subscription"] as? [String: Any])?["state"] as? String == "expired")
    }
  }

  @Test("a change without a change, a mistyped date and an unknown subscription are refused in words to act on")
  func mistakes() async throws {
    try await RunningStore.open { store in
      for (arguments, word) in [
        (["change", "12"], "--auto-renew"), (["change", "12", "--extend-to", "soon"], "2026-12-24"),
        (["show", "gold"], "decimal digits"),
      ] {
        #expect(throws: (any Error).self, "\(word)") {
          _ = try OpenStoreKitCommand.parseAsRoot(["subscriptions"] + arguments + ["--store", store.address])
        }
      }
      let unknown = try await store.run("subscriptions", "show", "12345")
      #expect(unknown.status == 1 && unknown.messages.contains("12345"))
    }
  }
}
