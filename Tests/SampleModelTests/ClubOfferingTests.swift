import Foundation
import HTTPTransport
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseKit
@testable import SampleModel

@Suite("The photo club's plans", .timeLimit(.minutes(30)))
struct ClubOfferingTests {
  /// A purchase server that has only offerings.
  private struct OfferingServer: HTTPSender {
    let body: LockedValue<String>

    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      try sink.begin(HTTPReplyHead(status: call.url.lastPathComponent == "offerings" ? 200 : 404))
      try sink.take(Data(body.value.utf8))
    }
  }

  private static func body(_ plans: [String], current: Bool = true) throws -> String {
    let offering: [String: Any] = ["id": "summer", "products": plans, "metadata": ["headline": "Summer in the club"]]
    var document: [String: Any] = ["bundleId": SampleCatalog.bundleIdentifier, "offerings": [offering]]
    if current { document["current"] = "summer" }
    return String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
  }

  @Test(
    "the screen shows the plans of the current offering that the app knows, in its order, and otherwise the built-in ones"
  )
  func order() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    let phone = try await FilterPhone(store, folder: folder.url)
    let body = LockedValue(
      try Self.body([SampleCatalog.silverYearly, "com.example.unknown", SampleCatalog.goldMonthly]))
    let client = PurchaseServerClient(
      try #require(URL(string: "http://127.0.0.1:1")), bundleID: BundleID(SampleCatalog.bundleIdentifier), device: nil,
      identity: .anonymous(MemoryVaultKeyStore()), transport: OfferingServer(body: body))
    let file = folder.url.appending(path: "offerings.json")
    let offerings = try OfferingList(at: file, server: client)
    let entitlements = EntitlementManager(
      vault: phone.vault, receipts: nil, productIdentifiers: [],
      subscriptionIdentifiers: Set(SampleCatalog.clubPlans), notifications: NotificationCenter(),
      entitlementNames: SampleCatalog.entitlementNames)
    func model(_ offerings: OfferingList?) -> ClubModel {
      ClubModel(
        manager: phone.manager, entitlements: entitlements, offerings: offerings, notifications: NotificationCenter())
    }
    let club = model(offerings)
    #expect(club.productIdentifiers == SampleCatalog.clubPlans && club.headline == nil)
    #expect(model(nil).productIdentifiers == SampleCatalog.clubPlans)

    try await offerings.refresh()
    await MainActor.run { club.offeringsChanged() }
    let offered = [SampleCatalog.silverYearly, SampleCatalog.goldMonthly]
    #expect(club.productIdentifiers == offered)
    #expect(club.headline == "Summer in the club")
    // After a launch without a network, it is still known.
    let again = model(try OfferingList(at: file, server: client))
    #expect(again.productIdentifiers == offered)

    for plans in [[], ["com.example.unknown"]] {
      body.value = try Self.body(plans)
      try await offerings.refresh()
      await MainActor.run { club.offeringsChanged() }
      #expect(club.productIdentifiers == SampleCatalog.clubPlans && club.headline == nil)
    }
    body.value = try Self.body([SampleCatalog.freeMembership], current: false)
    try await offerings.refresh()
    await MainActor.run { club.offeringsChanged() }
    #expect(club.productIdentifiers == SampleCatalog.clubPlans && club.headline == nil)
    try await phone.close()
  }

  @Test("every plan gives the club's entitlement, and the membership is that of the name")
  func membership() async throws {
    #expect(SampleCatalog.entitlementNames[SampleCatalog.clubEntitlement] == Set(SampleCatalog.clubPlans))
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    let phone = try await FilterPhone(store, folder: folder.url)
    func club(_ names: [String: Set<String>]) throws -> ClubModel {
      let entitlements = EntitlementManager(
        vault: phone.vault, receipts: nil, productIdentifiers: [],
        subscriptionIdentifiers: Set(SampleCatalog.clubPlans), notifications: NotificationCenter(),
        entitlementNames: names)
      try entitlements.restoreFinished()
      return ClubModel(manager: phone.manager, entitlements: entitlements, notifications: NotificationCenter())
    }
    #expect(try club(SampleCatalog.entitlementNames).membership() == .none)
    for plan in SampleCatalog.clubPlans {
      let end = Date(timeIntervalSince1970: 4_000_000_000)
      let entitlement = Entitlement(
        originalTransactionIdentifier: "1", productIdentifier: plan, purchaseDate: Date(timeIntervalSince1970: 1),
        expirationDate: end)
      try phone.vault.update { $0.put(.entitlement(entitlement)) }
      #expect(try club(SampleCatalog.entitlementNames).membership() == .member(plan: plan, until: end))
      #expect(try club(["lessons": [plan]]).membership() == .none)
    }
    try await phone.close()
  }
}
