import Foundation
import PurchaseKit
import Testing

@Suite("The state of a subscription in the purchase server's answer", .timeLimit(.minutes(30)))
struct SubscriptionStateTests {
  private static let plans: Set<String> = ["club.monthly", "club.yearly"]
  private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  /// An entitlement as the server sends it. Dates are seconds since 1970.
  private func entitlement(
    _ product: String = "club.monthly", until access: Double, expires: Double?, isActive: Bool, ended: Double? = nil,
    isInBillingRetry: Bool? = nil
  ) throws -> ServerEntitlement {
    var fields: [String: Any] = [
      "productId": product, "source": "1", "origin": "purchased", "begun": 0, "accessUntil": access,
      "isActive": isActive,
    ]
    fields["expires"] = expires
    fields["ended"] = ended
    fields["endReason"] = ended.map { _ in "refunded" }
    fields["renewal"] = isInBillingRetry.map {
      ["product": product, "isAutoRenewOn": true, "isInBillingRetry": $0] as [String: Any]
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try decoder.decode(ServerEntitlement.self, from: JSONSerialization.data(withJSONObject: fields))
  }

  private func state(_ entitlements: ServerEntitlement...) -> SubscriptionState {
    SubscriptionState(of: Self.plans, in: entitlements)
  }

  @Test("A1 a customer of the server has a period, a grace period, a billing retry, an end, a refund, or nothing")
  func states() throws {
    let product = "club.monthly"
    #expect(state() == .none)
    #expect(try state(entitlement("book", until: 9, expires: nil, isActive: true)) == .none)
    // An operator's grant.
    #expect(
      try state(entitlement(until: 9, expires: nil, isActive: true))
        == .active(productIdentifier: product, until: date(9)))
    #expect(
      try state(entitlement(until: 100, expires: 100, isActive: true))
        == .active(productIdentifier: product, until: date(100)))
    #expect(
      try state(entitlement(until: 150, expires: 100, isActive: true, isInBillingRetry: true))
        == .inGracePeriod(productIdentifier: product, until: date(150)))
    #expect(
      try state(entitlement(until: 150, expires: 100, isActive: false, isInBillingRetry: true))
        == .inBillingRetry(productIdentifier: product, since: date(150)))
    #expect(
      try state(entitlement(until: 100, expires: 100, isActive: false, isInBillingRetry: false))
        == .expired(productIdentifier: product, since: date(100)))
    #expect(
      try state(entitlement(until: 100, expires: 100, isActive: false, ended: 50))
        == .revoked(productIdentifier: product, since: date(50)))
  }

  @Test("A1 an active plan comes before one that ended later, and of ended plans the last one counts")
  func several() throws {
    let yearly = "club.yearly"
    #expect(
      try state(
        entitlement(until: 900, expires: 900, isActive: false, ended: 10),
        entitlement(yearly, until: 200, expires: 200, isActive: true))
        == .active(productIdentifier: yearly, until: date(200)))
    #expect(
      try state(
        entitlement(until: 100, expires: 100, isActive: false),
        entitlement(yearly, until: 200, expires: 200, isActive: false))
        == .expired(productIdentifier: yearly, since: date(200)))
  }
}
