import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import AppStoreEmulatorServer

@Suite("A full disk of the emulator", .timeLimit(.minutes(30)))
struct FullDiskTests {
  /// Sets the maximum size of the store's database to its present size, or removes the limit.
  private func setFull(_ isFull: Bool, _ store: EmulatedAppStore) async throws {
    try await store.database.read { work in
      let pages = try Int.fetchOne(work.database, sql: "PRAGMA page_count") ?? 0
      _ = try Int.fetchOne(work.database, sql: "PRAGMA max_page_count = \(isFull ? pages : 1_073_741_823)")
    }
  }

  @Test(
    "A2 a full disk answers 503 with Retry-After to devices and the control API; nothing is charged, and the payment succeeds when there is space"
  )
  func full() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    _ = try await store.register(BakeryServer.registration())
    _ = try await store.signIn(SignInCredentials(account: "customer"), on: "phone")
    try await setFull(true, store)
    try await bakery.withClient { client async throws in
      // Rows still fit into the pages that the database has. So it buys until a page is missing.
      var (bought, refused): (Int, Reply?) = (0, nil)
      while refused == nil, bought < 1_000 {
        let reply = try await client.post("/control/v1/purchases", Self.purchase)
        if reply.status == 201 { bought += 1 } else { refused = reply }
      }
      let reply = try #require(refused)
      #expect((reply.status, reply.code) == (503, "temporarilyUnavailable"), "\(reply.text)")
      #expect(reply.headers[.retryAfter] != nil)
      #expect(try await store.charges().count == bought)
      #expect(try await store.transactions().count == bought)

      // A device's purchase writes other rows, so it may still fit.
      func confirm(_ number: Int) async throws -> String {
        let payment = PaymentRequest(paymentID: PaymentID("p\(number)"), productID: BakeryServer.loaf)
        let call = DeviceAPI.Request(
          installationID: "phone", call: ConfirmCall(quote: try await store.quote(payment, for: "phone")))
        return String(decoding: try DeviceAPI.encoder().encode(call), as: UTF8.self)
      }
      let before = bought
      var device = try await client.post("/device/v1/confirm", try await confirm(bought))
      while device.status == 200, bought < before + 1_000 {
        bought += 1
        device = try await client.post("/device/v1/confirm", try await confirm(bought))
      }
      #expect(device.status == 503, "\(device.text)")
      #expect(device.headers[.retryAfter] != nil)
      #expect(try await store.charges().count == bought)
      #expect(try await client.get("/control/v1/charges").status == 200)

      try await setFull(false, store)
      #expect(try await client.post("/control/v1/purchases", Self.purchase).status == 201)
      let retried = try await client.post("/device/v1/confirm", try await confirm(bought))
      #expect(retried.status == 200, "\(retried.text)")
      #expect(try await store.charges().count == bought + 2)
    }
  }

  private static let purchase = """
    {"bundleId":"\(BakeryServer.app)","environment":"Sandbox","customer":"customer","productId":"\(BakeryServer.loaf)"}
    """
}
