import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Win-back offers of promoted purchases", .timeLimit(.minutes(30)))
struct PromotedOfferTests {
  private static let gold: ProductID = "org.example.teahouse.gold"
  private static let back = PaymentOffer(kind: .winBack, identifier: "back")

  private func shop() async throws -> (TeaShop, Phone) {
    let shop = try await TeaShop()
    func offer(_ kind: SubscriptionOffer.Kind, _ id: String) -> SubscriptionOffer {
      SubscriptionOffer(
        kind: kind, identifier: id, paymentMode: .payUpFront, period: CalendarPeriod(value: 1, unit: .month),
        price: Milliunits(1_000))
    }
    try await shop.sell(
      TeaShop.catalog() + [
        ProductDefinition(
          productID: Self.gold, type: .autoRenewableSubscription, price: Milliunits(10_000),
          subscription: SubscriptionTerms(
            groupID: "club", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month),
            offers: [offer(.winBack, "back"), offer(.promotional, "half")]))
      ])
    return (shop, try await shop.phone())
  }

  private func changes(_ shop: TeaShop, _ phone: Phone) async throws -> [StoreChange] {
    try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).changes
  }

  @Test("the device receives the offer, also from a rebuilt feed, and its change has the same bytes without an offer")
  func received() async throws {
    let (shop, phone) = try await shop()
    try await shop.store.beginPromotedPurchase(of: Self.gold, offer: Self.back, on: phone.id)
    try await shop.store.beginPromotedPurchase(of: TeaShop.oolong, on: phone.id)
    let expected = [
      StoreChange(.promotedPurchase, productIDs: [Self.gold], offer: Self.back),
      StoreChange(.promotedPurchase, productIDs: [TeaShop.oolong]),
    ]
    #expect(try await changes(shop, phone) == expected)
    let feed = try await shop.feed()
    try await shop.rebuildFeed()
    #expect(try await shop.feed() == feed)
    #expect(try await changes(shop, phone) == expected)
    let json = String(decoding: try DeviceAPI.encoder().encode(expected[1]), as: UTF8.self)
    #expect(json == #"{"kind":"promotedPurchase","productIDs":["\#(TeaShop.oolong)"]}"#)
  }

  @Test("an offer that the product does not have, or of another kind, is refused, and nothing is recorded")
  func refused() async throws {
    let (shop, phone) = try await shop()
    let before = try await shop.records()
    for (product, offer) in [
      (Self.gold, PaymentOffer(kind: .winBack, identifier: "none")),
      (Self.gold, PaymentOffer(kind: .promotional, identifier: "half")),
      (Self.gold, PaymentOffer(kind: .winBack, identifier: "half")), (TeaShop.oolong, Self.back),
    ] {
      let code = try await refusal {
        try await shop.store.beginPromotedPurchase(of: product, offer: offer, on: phone.id)
      }
      #expect(code == .offerNotAvailable, "\(offer)")
    }
    #expect(try await shop.records() == before)
  }

  @Test("a snapshot keeps it; one with an offer where no store has one is refused")
  func snapshots() async throws {
    let (shop, phone) = try await shop()
    try await shop.store.beginPromotedPurchase(of: Self.gold, offer: Self.back, on: phone.id)
    let snapshot = try await shop.store.snapshot()
    try await shop.store.restore(snapshot)
    for (sql, isUsable) in [
      ("UPDATE deviceChange SET offer = offer", true), ("UPDATE deviceChange SET offer = NULL", true),
      ("UPDATE deviceChange SET kind = 'entitlementsRevoked'", false),
      (#"UPDATE deviceChange SET offer = '{"kind":"promotional","identifier":"half"}'"#, false),
      ("UPDATE deviceChange SET offer = '{}'", false), ("UPDATE deviceChange SET offer = 'null'", false),
    ] {
      let changed = try TeaShop.edited(snapshot) { try $0.execute(sql: sql) }
      if isUsable {
        try await shop.store.restore(changed)
      } else {
        await #expect(throws: AppStoreEmulatorError.self, "\(sql)") { try await shop.store.restore(changed) }
      }
    }
  }
}
