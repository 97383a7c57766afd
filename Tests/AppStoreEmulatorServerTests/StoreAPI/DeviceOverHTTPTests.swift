import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OpenStoreKit
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("A device that reaches the store over HTTP", .timeLimit(.minutes(30)))
struct DeviceOverHTTPTests {
  private func refusal(_ body: () async throws -> Void) async throws -> StoreRefusal? {
    do {
      try await body()
      return nil
    } catch let refusal as StoreRefusal {
      return refusal
    }
  }

  @Test("B1 B2 B3 B4 gets from every verb what the store gives, through one whole purchase")
  func purchase() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      let connection = HTTPAppStoreConnection(try #require(URL(string: "http://127.0.0.1:\(port)")))
      let registration = BakeryServer.registration()
      let phone = registration.installationID
      let greeting = try await connection.register(registration)
      #expect(try await store.register(registration) == greeting)

      let payment = PaymentRequest(
        paymentID: "p 1/ü", productID: BakeryServer.loaf, quantity: 2, applicationUsername: "Zoë \u{1F35E}")
      #expect(try await refusal { _ = try await connection.quote(payment, for: phone) }?.code == .signInRequired)
      let account = try await connection.signIn(SignInCredentials(account: "customer", password: "any"), on: phone)
      #expect(account == SignedInAccount(account: "customer", storefrontCountryCode: "USA"))

      let ids: [ProductID] = [BakeryServer.loaf, "cake", BakeryServer.oven]
      #expect(try await connection.products(ids, for: phone) == store.products(ids, for: phone))
      let quote = try await connection.quote(payment, for: phone)
      #expect(try await store.quote(payment, for: phone) == quote)

      try await store.serve(BakeryServer.app, catalog: [try BakeryServer.catalog(loafPrice: "4")])
      guard case .stale(let current) = try await connection.confirm(quote, for: phone) else {
        Issue.record("a quote at the old price was charged")
        return
      }
      #expect(current.total.amount == Milliunits(8000))
      guard case .purchased(let batch) = try await connection.confirm(current, for: phone) else {
        Issue.record("the new quote was not charged")
        return
      }
      #expect(batch.deliveries.map(\.paymentID) == ["p 1/ü"])
      #expect(batch.deliveries.map(\.applicationUsername) == ["Zoë \u{1F35E}"])
      #expect(batch.receipt?.isEmpty == false)
      guard case .purchased = try await connection.confirm(current, for: phone) else {
        Issue.record("the same payment id was answered differently the second time")
        return
      }
      #expect(try await store.charges().map(\.amount) == [Milliunits(8000)])

      let id = try #require(try await store.transactions().first).record.transactionID
      #expect(try await connection.unfinished(for: phone).deliveries.count == 1)
      try await connection.finish(id, for: phone)
      try await connection.finish(id, for: phone)
      #expect(try await connection.unfinished(for: phone).deliveries.isEmpty)
      #expect(try await store.transactions().first?.finishedDate != nil)
    }
  }

  @Test("C2 a refusal comes back with its code and its words")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      let connection = HTTPAppStoreConnection(try #require(URL(string: "http://localhost:\(port)/")))
      let attempts: [@Sendable (any AppStoreConnection) async throws -> Void] = [
        { _ = try await $0.unfinished(for: "stranger") },
        { _ = try await $0.products([], for: "stranger") },
        { try await $0.finish(TransactionID(5), for: "stranger") },
        {
          _ = try await $0.register(
            InstallationRegistration(
              installationID: "i", bundleID: "org.example.none", environment: .sandbox, deviceID: UUID(),
              applicationVersion: "1"))
        },
      ]
      for attempt in attempts {
        let over = try await refusal { try await attempt(connection) }
        let direct = try await refusal { try await attempt(store) }
        #expect(over == direct)
        #expect(over != nil)
      }
    }
  }

  @Test("C4 a store that is not there is unreachable: nothing was sent")
  func unreachable() async throws {
    // No program listens on port 1. A port that was free a moment ago may be used by another test now.
    let connection = HTTPAppStoreConnection(try #require(URL(string: "http://127.0.0.1:1")))
    do {
      _ = try await connection.unfinished(for: "phone")
      Issue.record("an answer came from nowhere")
    } catch StoreConnectionFailure.unreachable {
    }
  }

  @Test("C4 what answers but is no store is unintelligible, not a refusal")
  func notAStore() async throws {
    let router = Router(context: BasicRequestContext.self)
    router.post("/device/v1/unfinished") { _, _ in "Welcome to the machine" }
    router.post("/device/v1/products") { _, _ in HTTPResponse.Status.badGateway }
    try await Application(router: router, logger: BakeryServer.logger).test(.live) { client async throws in
      let port = try #require(client.port)
      let connection = HTTPAppStoreConnection(try #require(URL(string: "http://localhost:\(port)")))
      for attempt in 1...2 {
        do {
          if attempt == 1 {
            _ = try await connection.unfinished(for: "phone")
          } else {
            _ = try await connection.products([], for: "phone")
          }
          Issue.record("an answer came from nowhere")
        } catch StoreConnectionFailure.unintelligible {
        }
      }
    }
  }

  @Test("C4 a wrong address at a store's server is reported, and ends no payment")
  func wrongAddress() async throws {
    let bakery = try await BakeryServer()
    try await bakery.listening { port async throws in
      let connection = HTTPAppStoreConnection(try #require(URL(string: "http://127.0.0.1:\(port)/elsewhere")))
      let refusal = try await refusal { _ = try await connection.unfinished(for: "phone") }
      #expect(refusal?.code == "noSuchEndpoint")
      #expect(refusal?.endsPayment == false)
    }
  }
}
