import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Transactions in the Server API", .timeLimit(.minutes(30)))
struct TransactionCallTests {
  private static let token = UUID(uuidString: "6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F")!

  @Test(
    "H1 a transaction is the record, finished or not, also by the id of a redelivery; other ids have their own error and reason"
  )
  func info() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.samovar, on: phone)
    let stored = try await shop.newestTransaction()
    let signed = try await server.info(stored.record.transactionID)
    #expect(signed == SignedTransaction(record: stored.record, signedDate: signed.signedDate))
    try await shop.buy(TeaShop.samovar, as: "payment 2", on: try await shop.phone("tablet"))
    let redelivery = try #require(
      try await shop.store.transaction(stored.record.transactionID).redeliveries.first?.transactionID)
    #expect(try await server.info(redelivery).transactionID == stored.record.transactionID)
    let production = try await TeaServer(shop, in: .production)
    let elsewhere = try #require(
      try await production.refusal(GetTransactionInfo(transactionId: stored.record.transactionID)))
    #expect(elsewhere.error.code == .transactionIdNotFound && elsewhere.reason.contains("sandbox"))
    let app = try #require(TransactionID(rawValue: stored.record.appTransactionID))
    #expect(try await server.code(GetTransactionInfo(transactionId: app)) == .appTransactionIdNotSupported)
    #expect(try await server.code(GetTransactionInfo(transactionId: TransactionID(7))) == .transactionIdNotFound)
    let unreadable = ServerAPIRequest(parameters: ["transactionId": "seven"])
    await #expect(throws: ServerAPIRefusal.self) { try await server.send(GetTransactionInfo.self, unreadable) }
    let journaled = try #require(shop.store.requests(RequestFilter(RequestKind(rawValue: "getTransactionInfo"))).last)
    #expect(journaled.outcome == .status(4_000_006) && journaled.reason?.contains("seven") == true)
    #expect(journaled.metadata.bundleID == TeaShop.app)
  }

  @Test(
    "a finish by the server ends the delivery to devices, and is a change for them; a second one changes nothing")
  func finish() async throws {
    let shop = try await TeaShop()
    let server = try await TeaServer(shop)
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    let before = try await shop.store.send(TransactionsCall(after: nil), for: phone.id)
    try await server.send(FinishTransaction(transactionId: id))
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
    let after = try await shop.store.send(TransactionsCall(after: before.revision), for: phone.id)
    #expect(after.transactions.map(\.isFinished) == [true])
    try await server.send(FinishTransaction(transactionId: id))
    #expect(try await shop.store.send(TransactionsCall(after: after.revision), for: phone.id).transactions.isEmpty)
    #expect(try await server.code(FinishTransaction(transactionId: TransactionID(7))) == .transactionIdNotFound)
  }

  @Test(
    "an order of the invoice is found in production, one transaction each; other ids are invalid; the sandbox has no orders"
  )
  func orders() async throws {
    let shop = try await TeaShop()
    let server = try await TeaServer(shop, in: .production)
    let bought = try await shop.order(TeaShop.oolong, in: .production)
    let order = try #require(try await shop.store.charges().first?.orderID)
    let found = try await server.send(LookUpOrderID(orderId: order))
    #expect(found.status == .valid)
    #expect(
      try await server.transactions(found.signedTransactions ?? []).map(\.transactionID) == [
        bought.record.transactionID
      ])
    let invalid = try await server.send(LookUpOrderID(orderId: "M000"))
    #expect(invalid.status == .invalid && invalid.signedTransactions == nil)
    #expect(try await TeaServer(shop).code(LookUpOrderID(orderId: order)) == .generalBadRequest)
  }

  @Test(
    "a token that the server sets replaces the app's, for this period and later ones, also of another plan, and not past ones"
  )
  func accountToken() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    let first = try await shop.order(TeaShop.monthly, username: UUID().uuidString)
    try await shop.advance(days: 32)
    let id = first.record.transactionID
    #expect(
      try await server.code(SetAppAccountToken(originalTransactionId: TransactionID(7), appAccountToken: Self.token))
        == .originalTransactionIdNotFound)
    let second = try await shop.newestTransaction()
    #expect(
      try await server.code(
        SetAppAccountToken(originalTransactionId: second.record.transactionID, appAccountToken: Self.token))
        == .transactionIdIsNotOriginalTransactionId)
    try await server.send(SetAppAccountToken(originalTransactionId: id, appAccountToken: Self.token))
    #expect(try await server.info(id).appAccountToken == first.record.appAccountToken)
    #expect(try await server.info(second.record.transactionID).appAccountToken == Self.token)
    try await shop.advance(days: 31)
    let third = try await shop.newestTransaction().record
    #expect(third.transactionID != second.record.transactionID && third.appAccountToken == Self.token)
    let upgraded = try await shop.order(TeaShop.yearly)
    #expect(upgraded.record.appAccountToken == Self.token)
    let own = UUID()
    try await shop.advance(days: 370)
    try await shop.store.setAutoRenew(ofSubscription: id, isOn: false)
    try await shop.advance(days: 370)
    #expect(try await shop.order(TeaShop.monthly, username: own.uuidString).record.appAccountToken == own)
    let snapshot = try await shop.store.snapshot()
    try await shop.store.restore(snapshot)
  }

  @Test("a family member's share has no token and no consumption information of its own")
  func shares() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "f"))
    }
    _ = try await shop.order(TeaShop.samovar, for: "ada")
    let share = try #require(try await shop.store.transactions(RecordFilter(account: "bob")).first).record.transactionID
    #expect(
      try await server.code(SetAppAccountToken(originalTransactionId: share, appAccountToken: Self.token))
        == .familyTransactionNotSupported)
    let told = ConsumptionRequest(
      customerConsented: true, sampleContentProvided: false, deliveryStatus: OpenEnum(.delivered))
    #expect(
      try await server.code(SendConsumptionInformation(transactionId: share, told)) == .familyTransactionNotSupported)
  }

  @Test(
    "H1 the app transaction has the values of the receipts of the customer's newest installation; without one, there is none"
  )
  func appTransaction() async throws {
    let shop = try await TeaShop()
    for environment in [StoreEnvironment.sandbox, .production] {
      let server = try await TeaServer(shop, in: environment)
      let bought = try await shop.order(TeaShop.oolong, in: environment)
      let call = GetAppTransactionInfo(anyTransactionId: bought.record.transactionID)
      #expect(try await server.code(call) == .appTransactionDoesNotExist)
      let phone = try await shop.phone("\(environment)", in: environment, version: "4.2")
      let verifier = SignedDataVerifier(anchors: try shop.store.authority.anchors)
      let signed = try await verifier.verifyAppTransaction(
        server.send(call).signedAppTransactionInfo,
        expecting: Expectation(bundleID: TeaShop.app, environments: [environment])
      ).value
      let receipt = try await shop.appReceipt(on: phone)
      #expect(signed.applicationVersion == receipt.applicationVersion)
      #expect(signed.originalApplicationVersion == receipt.originalApplicationVersion)
      #expect(signed.originalPurchaseDate == receipt.originalPurchaseDate)
      #expect(signed.appTransactionID == bought.record.appTransactionID)
      #expect((signed.appAppleID == nil) == (environment == .sandbox))
      let byApp = GetAppTransactionInfo(
        anyTransactionId: try #require(TransactionID(rawValue: bought.record.appTransactionID)))
      try await server.send(byApp)
    }
  }
}
