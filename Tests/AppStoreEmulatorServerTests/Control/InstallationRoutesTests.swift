import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Installations and approvals through the control API", .timeLimit(.minutes(30)))
struct InstallationRoutesTests {
  /// Returns a bakery with two installations. The id of the second one must be percent-encoded in URLs.
  private func bakery() async throws -> BakeryServer {
    let bakery = try await BakeryServer()
    for id in ["phone", "ü/ 1"] as [InstallationID] {
      _ = try await bakery.store.register(BakeryServer.registration(id))
      _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: id)
    }
    return bakery
  }

  private func waiting(_ payment: PaymentID, in bakery: BakeryServer) async throws -> PaymentQuote {
    let request = PaymentRequest(
      paymentID: payment, productID: BakeryServer.loaf, quantity: 2, simulatesAskToBuyInSandbox: true)
    let quote = try await bakery.store.quote(request, for: "ü/ 1")
    #expect(try await bakery.store.confirm(quote, for: "ü/ 1") == .deferred)
    return quote
  }

  @Test("are listed in the order in which they registered, and signed out one by one")
  func signOut() async throws {
    let bakery = try await bakery()
    try await bakery.withClient { client async throws in
      let all = try await client.get("/control/v1/installations").list("installations")
      #expect(all.map { $0["installationId"] as? String } == ["phone", "ü/ 1"])
      #expect(all.map { $0["customer"] as? String } == ["customer", "customer"])
      #expect(all.map { $0["deviceId"] as? String } == Array(repeating: BakeryServer.device.uuidString, count: 2))
      let reply = try await client.post("/control/v1/installations/%C3%BC%2F%201/signOut", "{}")
      #expect(reply.status == 200)
      #expect(reply.object["installationId"] as? String == "ü/ 1")
      #expect(reply.object["customer"] == nil)
      let unknown = try await client.post("/control/v1/installations/none/signOut", "{}")
      #expect((unknown.status, unknown.code) == (404, "unknownInstallation"))
      let garbled = try await client.post("/control/v1/installations/%FF/signOut", "{}")
      #expect((garbled.status, garbled.code) == (400, "malformedRequest"))
    }
    #expect(try await bakery.store.installations().map(\.account) == ["customer", nil])
  }

  @Test("I3 purchases are restricted and a device goes offline by PATCH; null leaves it to the device again")
  func settings() async throws {
    let bakery = try await bakery()
    try await bakery.withClient { client async throws in
      let path = "/control/v1/installations/%C3%BC%2F%201"
      let before = try await client.get("/control/v1/installations").list("installations")
      #expect(before.allSatisfy { $0["restricted"] == nil && $0["offline"] == nil })
      let changed = try await client.send(.patch, path, #"{"restricted":true,"offline":false}"#)
      #expect(changed.object["restricted"] as? Bool == true && changed.object["offline"] as? Bool == false)
      // A member that is not given is not changed.
      let offline = try await client.send(.patch, path, #"{"offline":true}"#)
      #expect(offline.object["restricted"] as? Bool == true && offline.object["offline"] as? Bool == true)
      let own = try await client.send(.patch, path, #"{"restricted":null}"#)
      #expect(own.object["restricted"] == nil && own.object["offline"] as? Bool == true)
      #expect(try await client.send(.patch, "/control/v1/installations/none", #"{"offline":true}"#).status == 404)
      #expect(try await client.send(.patch, path, #"{"offline":"yes"}"#).status == 400)
    }
    #expect(
      try await bakery.store.installations().map(\.settings) == [
        InstallationSettings(), InstallationSettings(isOffline: true),
      ])
    // The device is told of each change, and the greeting brings the settings.
    let greeting = try await bakery.store.register(BakeryServer.registration("ü/ 1"))
    #expect(greeting.settings == InstallationSettings(isOffline: true))
    let changes = try await bakery.store.changes(after: greeting.changeCursor, waitSeconds: 0, for: "ü/ 1")
    #expect(changes.changes.filter { $0.kind == .settingsChanged }.count == 3)
    #expect(try await bakery.store.register(BakeryServer.registration("phone")).settings == nil)
  }

  @Test("a promoted purchase reaches the device")
  func promotedPurchase() async throws {
    let bakery = try await bakery()
    try await bakery.withClient { client async throws in
      let path = "/control/v1/promotedPurchases"
      let body = #"{"installationId":"phone","productId":"org.example.bakery.loaf"}"#
      #expect(try await client.post(path, body).status == 201)
      for (body, status, code) in [
        (#"{"installationId":"none","productId":"org.example.bakery.loaf"}"#, 404, "unknownInstallation"),
        (#"{"installationId":"phone","productId":"cake"}"#, 422, "productNotAvailable"),
        ("{}", 400, "malformedRequest"),
      ] {
        let reply = try await client.post(path, body)
        #expect((reply.status, reply.code) == (status, code))
      }
    }
    let received = try await bakery.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: "phone")
      .changes
    #expect(received == [StoreChange(.promotedPurchase, productIDs: [BakeryServer.loaf])])
  }

  @Test("a promoted purchase can have a win-back offer of the product, and no other offer")
  func promotedOffer() async throws {
    let bakery = try await bakery()
    let club = """
      {"subscriptionGroups":[{"id":"G","subscriptions":[{"productID":"club","displayPrice":"9",
        "recurringSubscriptionPeriod":"P1M","winbackOffers":[{"internalID":"A1","offerID":"back",
        "paymentMode":"free","subscriptionPeriod":"P1M","isEligible":true}]}]}]}
      """
    try await bakery.store.serve(
      BakeryServer.app, catalog: [try StoreKitConfiguration(data: Data(club.utf8), name: "club.storekit")])
    try await bakery.withClient { client async throws in
      let path = "/control/v1/promotedPurchases"
      let reply = try await client.post(path, #"{"installationId":"phone","productId":"club","offerId":"back"}"#)
      #expect(reply.status == 201 && reply.object["offerId"] as? String == "back")
      let refused = try await client.post(path, #"{"installationId":"phone","productId":"club","offerId":"x"}"#)
      #expect((refused.status, refused.code) == (422, "offerNotAvailable"))
    }
    let received = try await bakery.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: "phone")
      .changes
    let offer = PaymentOffer(kind: .winBack, identifier: "back")
    #expect(received == [StoreChange(.promotedPurchase, productIDs: ["club"], offer: offer)])
  }

  @Test("B3 a payment that waits is listed, and approved once: the device gets its transaction")
  func approve() async throws {
    let bakery = try await bakery()
    let quote = try await waiting("p/1", in: bakery)
    try await bakery.withClient { client async throws in
      let all = try await client.get("/control/v1/approvals").list("approvals")
      #expect(all.map { $0["paymentId"] as? String } == ["p/1"])
      #expect(all.map { $0["total"] as? Int } == [7000])
      let path = "/control/v1/approvals/%C3%BC%2F%201/p%2F1"
      let approved = try await client.post(path, #"{"decision":"approve"}"#)
      #expect(approved.status == 200)
      #expect((approved.object["transaction"] as? [String: Any])?["price"] as? Int == 7000)
      for decision in ["approve", "decline"] {
        let again = try await client.post(path, #"{"decision":"\#(decision)"}"#)
        #expect((again.status, again.code) == (404, "noSuchApproval"))
      }
    }
    guard case .purchased = try await bakery.store.confirm(quote, for: "ü/ 1") else {
      Issue.record("what was approved was not charged")
      return
    }
    #expect(try await bakery.store.charges().count == 1)
  }

  @Test("B3 a payment that is declined is charged nothing; what is no decision changes nothing")
  func decline() async throws {
    let bakery = try await bakery()
    _ = try await waiting("p", in: bakery)
    try await bakery.withClient { client async throws in
      let path = "/control/v1/approvals/%C3%BC%2F%201/p"
      for body in [#"{"decision":"perhaps"}"#, "{}", #"{"decision":true}"#] {
        let reply = try await client.post(path, body)
        #expect((reply.status, reply.code) == (400, "malformedRequest"))
      }
      let declined = try await client.post(path, #"{"decision":"decline"}"#)
      #expect((declined.status, declined.object.isEmpty) == (200, true))
      #expect(try await client.get("/control/v1/approvals").list("approvals").isEmpty)
    }
    #expect(try await bakery.store.charges().isEmpty)
  }

  @Test("a customer who needs approval, then needs attention, then goes")
  func customers() async throws {
    let bakery = try await bakery()
    try await bakery.withClient { client async throws in
      let customers = "/control/v1/customers"
      #expect(try await client.post(customers, #"{"environment":"Sandbox","name":"a b"}"#).status == 201)
      let path = "\(customers)/sandbox/a%20b"
      let child = try await client.send(.patch, path, #"{"needsApproval":true,"paymentMethod":"needsAttention"}"#)
      #expect(child.object["needsApproval"] as? Bool == true)
      #expect(child.object["paymentMethod"] as? String == "needsAttention")
      #expect(try await client.send(.patch, path, "{}").object["needsApproval"] as? Bool == true)
      #expect(try await client.send(.delete, path, "").object["name"] as? String == "a b")
      #expect(try await client.get(path).status == 404)
      let missing = try await client.send(.delete, path, "")
      #expect((missing.status, missing.code) == (404, "unknownCustomer"))
      try await bakery.order()
      let kept = try await client.send(.delete, "\(customers)/sandbox/customer", "")
      #expect((kept.status, kept.code) == (409, "customerHasPurchases"))
    }
  }
}
