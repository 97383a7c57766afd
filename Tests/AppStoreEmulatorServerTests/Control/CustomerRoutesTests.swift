import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Customers through the control API", .timeLimit(.minutes(30)))
struct CustomerRoutesTests {
  @Test("a customer is added with all it has, and listed and found as it was sent")
  func add() async throws {
    let bakery = try await BakeryServer()
    let body = #"""
      {"environment":"Sandbox","name":"ada","needsApproval":true,"password":"secret","paymentMethod":"declined","storefront":"JPN"}
      """#
    try await bakery.withClient { client async throws in
      let added = try await client.post("/control/v1/customers", body)
      #expect(added.status == 201)
      #expect(try json(added.object) == body)
      let found = try await client.get("/control/v1/customers/sandbox/ada")
      #expect(try json(found.object) == body)
      #expect(try await client.get("/control/v1/customers/Sandbox/ada").status == 200)
      #expect(try await client.get("/control/v1/customers").list("customers").count == 3)
      let elsewhere = try await client.get("/control/v1/customers/production/ada")
      #expect((elsewhere.status, elsewhere.code) == (404, "unknownCustomer"))
    }
    #expect(
      try await bakery.store.customer("ada", .sandbox)
        == Customer(
          environment: .sandbox, name: "ada", password: "secret", storefrontCountryCode: "JPN",
          paymentMethod: .declined,
          needsApproval: true))
  }

  @Test("what is left out has its default: USA, a card that pays, no password")
  func defaults() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      #expect(
        try await client.post("/control/v1/customers", #"{"environment":"Production","name":"bob"}"#).status == 201)
    }
    #expect(try await bakery.store.customer("bob", .production) == Customer(environment: .production, name: "bob"))
  }

  @Test("refusals say why, with the status that fits, and change nothing")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    let before = try await bakery.store.customers()
    try await bakery.withClient { client async throws in
      for (body, status, code, word) in [
        (#"{"environment":"Sandbox","name":"customer"}"#, 409, "customerExists", "customer"),
        (#"{"environment":"Sandbox","name":""}"#, 422, "emptyName", "name"),
        (#"{"environment":"Sandbox","name":"x","storefront":"ATL"}"#, 422, "unknownStorefront", "ATL"),
        (#"{"environment":"Xcode","name":"x"}"#, 422, "environmentNotServed", "Xcode"),
        (#"{"environment":"Moon","name":"x"}"#, 400, "malformedRequest", "environment"),
        (#"{"environment":"Sandbox"}"#, 400, "malformedRequest", "name"),
        (#"{"environment":"Sandbox","name":"x","paymentMethod":"gold"}"#, 400, "malformedRequest", "paymentMethod"),
        (#"{"environment":"Sandbox","name":5}"#, 400, "malformedRequest", "name"),
        ("[]", 400, "malformedRequest", ""), ("", 400, "malformedRequest", ""),
      ] {
        let reply = try await client.post("/control/v1/customers", body)
        #expect((reply.status, reply.code) == (status, code), "\(body)")
        #expect(word.isEmpty || reply.message.contains(word), "\(body): \(reply.message)")
      }
    }
    #expect(try await bakery.store.customers() == before)
  }

  @Test("a change changes what is given, and the rest stays")
  func change() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: "secret"))
    try await bakery.withClient { client async throws in
      let path = "/control/v1/customers/sandbox/ada"
      let declined = try await client.send(.patch, path, #"{"paymentMethod":"declined"}"#)
      #expect(declined.status == 200)
      #expect(declined.object["password"] as? String == "secret")
      let moved = try await client.send(.patch, path, #"{"storefront":"DEU","password":"other"}"#)
      #expect(moved.object["paymentMethod"] as? String == "declined")
      #expect(moved.object["storefront"] as? String == "DEU")
      let lost = try await client.send(.patch, path, #"{"storefront":"ATL"}"#)
      #expect((lost.status, lost.code) == (422, "unknownStorefront"))
      let nobody = try await client.send(.patch, "/control/v1/customers/sandbox/nobody", "{}")
      #expect((nobody.status, nobody.code) == (404, "unknownCustomer"))
    }
    let ada = try await bakery.store.customer("ada", .sandbox)
    #expect((ada.storefrontCountryCode, ada.password, ada.paymentMethod) == ("DEU", "other", .declined))
  }

  @Test("a password that is null is taken away, one that is left out stays")
  func password() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: "secret"))
    try await bakery.withClient { client async throws in
      let path = "/control/v1/customers/sandbox/ada"
      #expect(try await client.send(.patch, path, "{}").object["password"] as? String == "secret")
      #expect(try await client.send(.patch, path, #"{"password":null}"#).status == 200)
    }
    #expect(try await bakery.store.customer("ada", .sandbox).password == nil)
  }

  @Test("changes of different things that come at once are all kept")
  func concurrentChanges() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let path = "/control/v1/customers/sandbox/customer"
      for _ in 1...20 {
        _ = try await client.send(
          .patch, path, #"{"storefront":"USA","password":"a","paymentMethod":"valid"}"#)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for body in [#"{"storefront":"DEU"}"#, #"{"password":"b"}"#, #"{"paymentMethod":"declined"}"#] {
            group.addTask { _ = try await client.send(.patch, path, body) }
          }
          try await group.waitForAll()
        }
        let customer = try await bakery.store.customer("customer", .sandbox)
        let now = "\(customer.storefrontCountryCode) \(customer.password ?? "") \(customer.paymentMethod)"
        try #require(now == "DEU b declined")
      }
    }
  }

  @Test(
    "any name can be asked for, percent-encoded once",
    arguments: ["a b", "a/b", "100%", "%41", "ü🍞", "?x=1", "#", ".", "..", "+"])
  func names(name: String) async throws {
    let bakery = try await BakeryServer()
    let body = try json(["environment": "Sandbox", "name": name])
    let encoded = name.utf8.map { String(format: "%%%02X", Int($0)) }.joined()
    try await bakery.withClient { client async throws in
      #expect(try await client.post("/control/v1/customers", body).status == 201)
      #expect(try await client.get("/control/v1/customers/sandbox/\(encoded)").object["name"] as? String == name)
    }
  }
}
