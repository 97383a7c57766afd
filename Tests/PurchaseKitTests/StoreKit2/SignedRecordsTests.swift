import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Entitlements of signed transactions", .timeLimit(.minutes(30)))
struct SignedRecordsTests {
  private static let day: Int64 = 86_400_000

  /// Returns a transaction. Dates are in days.
  private func transaction(
    _ id: String, of original: String = "1", product: String = "sepia", type: String = "Non-Consumable",
    bought: Int64 = 1, expires: Int64? = nil, revoked: Int64? = nil, signed: Int64 = 10
  ) throws -> SignedTransaction {
    var members: [String: Any] = [
      "transactionId": id, "originalTransactionId": original, "bundleId": "com.example.vault", "productId": product,
      "type": type, "purchaseDate": bought * Self.day, "originalPurchaseDate": Self.day,
      "signedDate": signed * Self.day, "quantity": 1, "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
    ]
    members["expiresDate"] = expires.map { $0 * Self.day }
    members["revocationDate"] = revoked.map { $0 * Self.day }
    return try SignedTransaction(payload: Array(JSONSerialization.data(withJSONObject: members)))
  }

  private func renewal(
    of original: String = "1", isRetrying: Bool, grace: Int64?, signed: Int64 = 10
  ) throws -> SignedRenewalInfo {
    var members: [String: Any] = [
      "originalTransactionId": original, "productId": "gold", "autoRenewProductId": "gold", "autoRenewStatus": 1,
      "isInBillingRetryPeriod": isRetrying, "signedDate": signed * Self.day, "environment": "Sandbox",
    ]
    members["gracePeriodExpiresDate"] = grace.map { $0 * Self.day }
    return try SignedRenewalInfo(payload: Array(JSONSerialization.data(withJSONObject: members)))
  }

  private func date(_ day: Int64) -> Date { Date(timeIntervalSince1970: Double(day) * 86_400) }

  @Test("D1 the newest period that was not revoked decides; consumables and non-renewing subscriptions give nothing")
  func newest() throws {
    let plan = "Auto-Renewable Subscription"
    let records = SignedRecords(
      transactions: [
        try transaction("3", product: "gold", type: plan, bought: 61, expires: 90, revoked: 62),
        try transaction("2", product: "gold", type: plan, bought: 31, expires: 61, signed: 40),
        try transaction("1", product: "gold", type: plan, bought: 1, expires: 31),
        try transaction("7", of: "7", product: "coins", type: "Consumable", signed: 50),
        try transaction("8", of: "8", product: "pass", type: "Non-Renewing Subscription"),
      ], renewals: [])
    let entitlement = try #require(records.proven.entitlements.first)
    #expect(records.proven.entitlements.count == 1)
    #expect(entitlement.originalTransactionIdentifier == "1")
    #expect(entitlement.expirationDate == date(61) && entitlement.revocationDate == nil)
    #expect(entitlement.purchaseDate == date(1))
    // The state is as old as its newest signature, not as that of other purchases.
    #expect(entitlement.asOf == date(40))
    #expect(records.proven.asOf == date(50))
  }

  @Test("D2 if all periods are revoked, the newest has its revocation date")
  func revoked() throws {
    let records = SignedRecords(transactions: [try transaction("1", revoked: 5)], renewals: [])
    #expect(records.proven.entitlements.map(\.revocationDate) == [date(5)])
  }

  @Test("A1 a grace period gives access after the expiration date, and only while the store retries")
  func gracePeriod() throws {
    let period = try transaction(
      "1", product: "gold", type: "Auto-Renewable Subscription", bought: 1, expires: 31, signed: 32)
    let inGrace = SignedRecords(
      transactions: [period],
      renewals: [
        try renewal(isRetrying: false, grace: nil, signed: 20), try renewal(isRetrying: true, grace: 47, signed: 33),
      ])
    let entitlement = try #require(inGrace.proven.entitlements.first)
    #expect(entitlement.expirationDate == date(31) && entitlement.gracePeriodExpirationDate == date(47))
    #expect(entitlement.asOf == date(33))
    #expect(entitlement.isActive(at: date(46)) && !entitlement.isActive(at: date(47)))

    let recovered = SignedRecords(
      transactions: [period], renewals: [try renewal(isRetrying: false, grace: 47, signed: 34)])
    #expect(recovered.proven.entitlements.map(\.gracePeriodExpirationDate) == [nil])
    let newer = try #require(recovered.proven.entitlements.first)
    #expect(entitlement.merged(with: newer).gracePeriodExpirationDate == nil)
  }

  @Test("A1 the state of a subscription in its grace period is shown as such, also after a launch")
  func state() throws {
    let files = TestVault()
    let (expired, grace) = (TestVault.date.addingTimeInterval(-3_600), TestVault.date.addingTimeInterval(86_400))
    let proven = ProvenEntitlements(
      entitlements: [
        Entitlement(
          originalTransactionIdentifier: "1", productIdentifier: "gold", purchaseDate: expired, expirationDate: expired,
          gracePeriodExpirationDate: grace, asOf: TestVault.date)
      ], asOf: TestVault.date)
    for isFirst in [true, false] {
      try files.use { vault in
        let entitlements = EntitlementManager(
          vault: vault, receipts: nil, productIdentifiers: [], subscriptionIdentifiers: ["gold"])
        if isFirst { try entitlements.merge(proven) }
        #expect(
          try entitlements.subscriptionState(of: ["gold"]) == .inGracePeriod(productIdentifier: "gold", until: grace))
        #expect(try entitlements.isEntitled(to: "gold"))
      }
    }
  }
}
