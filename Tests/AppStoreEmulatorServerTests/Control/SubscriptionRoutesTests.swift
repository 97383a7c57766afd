import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@Suite("Subscriptions at the control API", .timeLimit(.minutes(30)))
struct SubscriptionRoutesTests {
  /// Returns a store with a monthly subscription that a customer has bought, and the subscription's id.
  private func subscribed() async throws -> (bakery: BakeryServer, id: TransactionID) {
    let bakery = try await BakeryServer()
    return (bakery, try await bakery.subscribe())
  }

  @Test("A1 a subscription is listed with its state and dates, and its history shows each step")
  func show() async throws {
    let (bakery, id) = try await subscribed()
    try await bakery.withClient { client async throws in
      _ = try await client.send(.patch, "/control/v1/clock", #"{"advanceMilliseconds":3456000000}"#)
      let listed = try await client.get("/control/v1/customers/sandbox/customer/subscriptions").list("subscriptions")
      #expect(listed.first?["state"] as? String == "active")
      #expect(listed.first?["originalTransactionId"] as? String == id.rawValue)
      let shown = try await client.get("/control/v1/subscriptions/\(id)").object
      let history = try #require(shown["history"] as? [[String: Any]])
      #expect(history.map { $0["step"] as? String } == ["subscribed", "renewed"])
      let subscription = try #require(shown["subscription"] as? [String: Any])
      #expect(subscription["renewalPrice"] as? Int == 4_990)
      #expect(subscription["accessEndDate"] as? Int == subscription["renewalDate"] as? Int)
      #expect(try await client.get("/control/v1/subscriptions/12").code == "unknownSubscription")
    }
  }

  @Test("A1 automatic renewal is turned off and on; after the subscription has expired this is refused")
  func autoRenew() async throws {
    let (bakery, id) = try await subscribed()
    try await bakery.withClient { client async throws in
      let path = "/control/v1/subscriptions/\(id)"
      for isOn in [false, true, false] {
        let changed = try await client.send(.patch, path, #"{"isAutoRenewOn":\#(isOn)}"#)
        #expect(changed.object["isAutoRenewOn"] as? Bool == isOn)
      }
      #expect(try await client.send(.patch, path, "{}").code == "malformedRequest")
      _ = try await client.send(.patch, "/control/v1/clock", #"{"advanceMilliseconds":3456000000}"#)
      let refused = try await client.send(.patch, path, #"{"isAutoRenewOn":true}"#)
      #expect((refused.status, refused.code) == (409, "subscriptionNotChangeable"))
    }
  }

  @Test("A1 a price increase is announced and agreed to, and a period is extended; the page has buttons for it")
  func operatorChanges() async throws {
    let (bakery, id) = try await subscribed()
    try await bakery.withClient { client async throws in
      let path = "/control/v1/subscriptions/\(id)"
      let refused = try await client.send(.patch, path, #"{"priceIncrease":"withConsent"}"#)
      #expect((refused.status, refused.code) == (409, "subscriptionNotChangeable"))
      _ = try await client.send(
        .patch, "/control/v1/apps/\(BakeryServer.club)/products/org.example.club.monthly", #"{"price":5990}"#)
      let announced = try await client.send(.patch, path, #"{"priceIncrease":"withConsent"}"#)
      #expect(announced.object["announcedPrice"] as? Int == 5_990)
      #expect(announced.object["needsPriceConsent"] as? Bool == true)
      let page = try await client.page("/console/subscriptions/\(id)").text
      #expect(page.contains("Agree to the announced price") && page.contains("Extend by a week"))
      let renewalDate = try #require(announced.object["renewalDate"] as? Int)
      let changed = try await client.send(
        .patch, path, #"{"agreesToPrice":true,"renewalDate":\#(renewalDate + 86_400_000)}"#)
      #expect(changed.object["needsPriceConsent"] as? Bool == false)
      #expect(changed.object["renewalDate"] as? Int == renewalDate + 86_400_000)
      _ = try await client.send(.patch, "/control/v1/clock", #"{"advanceMilliseconds":3456000000}"#)
      let shown = try await client.get(path).object["subscription"] as? [String: Any]
      #expect(shown?["renewalPrice"] as? Int == 5_990)
    }
  }

  @Test("A1 an operator buys with a win-back offer; half of an offer is refused")
  func winBack() async throws {
    let (bakery, id) = try await subscribed()
    try await bakery.withClient { client async throws in
      func buy(_ offer: String) async throws -> Reply {
        try await client.send(
          .post, "/control/v1/purchases",
          #"{"bundleId":"\#(BakeryServer.club)","environment":"Sandbox","customer":"customer","productId":"org.example.club.monthly",\#(offer)}"#
        )
      }
      let offer = #""offerType":"winBack","offerId":"back""#
      #expect(try await buy(offer).code == "offerNotAvailable")
      _ = try await client.send(.patch, "/control/v1/subscriptions/\(id)", #"{"isAutoRenewOn":false}"#)
      _ = try await client.send(.patch, "/control/v1/clock", #"{"advanceMilliseconds":3456000000}"#)
      #expect(try await buy(#""offerType":"winBack""#).code == "malformedRequest")
      let bought = try await buy(offer)
      #expect(bought.object["price"] as? Int == 9_990 && bought.object["offerId"] as? String == "back")
    }
  }

  @Test("A1 an app's renewals follow a rate of StoreKitTest and a grace period; an unknown rate changes nothing")
  func rules() async throws {
    let (bakery, id) = try await subscribed()
    try await bakery.withClient { client async throws in
      let path = "/control/v1/apps/\(BakeryServer.club)/renewalRules"
      #expect(try await client.get(path).object["timeRate"] as? Int == 0)
      let set = try await client.send(.put, path, #"{"timeRate":15,"gracePeriodSeconds":90}"#)
      #expect(set.object["gracePeriodSeconds"] as? Int == 90)
      #expect(try await client.send(.put, path, #"{"timeRate":14}"#).code == "unknownTimeRate")
      for seconds in [Int64.min, -1, 0, 31_536_001, .max] {
        let refused = try await client.send(.put, path, #"{"timeRate":0,"gracePeriodSeconds":\#(seconds)}"#)
        #expect(refused.code == "gracePeriodOutOfRange")
      }
      let two = #"{"timeRate":0,"gracePeriod":"off","gracePeriodSeconds":90}"#
      #expect(try await client.send(.put, path, two).code == "malformedRequest")
      #expect(try await client.get(path).object["timeRate"] as? Int == 15)
      // The period that has begun keeps its month; the next ones last 30 seconds.
      _ = try await client.send(.patch, "/control/v1/clock", #"{"advanceMilliseconds":2678460000}"#)
      let shown = try await client.get("/control/v1/subscriptions/\(id)").object
      #expect((shown["history"] as? [Any])?.count == 4)
    }
  }
}

extension BakeryServer {
  static let club: BundleID = "org.example.club"

  /// Serves an app with a monthly subscription, and buys it for the customer.
  ///
  /// - Returns: the subscription's first transaction.
  @discardableResult
  func subscribe() async throws -> TransactionID {
    let terms = SubscriptionTerms(
      groupID: "club", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month),
      offers: [
        SubscriptionOffer(
          kind: .winBack, identifier: "back", paymentMode: .payUpFront,
          period: CalendarPeriod(value: 1, unit: .year),
          price: Milliunits(9_990))
      ])
    let product = ProductDefinition(
      productID: "org.example.club.monthly", type: .autoRenewableSubscription, price: Milliunits(4_990),
      subscription: terms)
    try await store.serve(Self.club, catalog: [StoreKitConfiguration(products: [product])])
    return try await store.purchase(product.productID, of: Self.club, for: "customer", in: .sandbox)
      .record.transactionID
  }
}
