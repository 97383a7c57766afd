import AppStoreEmulator
import Foundation
import GRDB
import HTTPTransport
import OpenStoreKit
import Testing

@testable import PurchaseKit

@Suite("Credits of a device that the server does not recognise any more", .timeLimit(.minutes(30)))
struct LostRegistrationTests {
  private static let ledger = "one"
  private let server = ScriptedServer()
  private let account = CreditAccountDouble()
  private let folder = TestFolder()
  private let keys = MemoryVaultKeyStore()
  private let now = Date(timeIntervalSince1970: 1_790_000_000)
  private var purchase: PaidPurchase {
    PaidPurchase(transactionIdentifier: "7", productIdentifier: "five", quantity: 1, date: now)
  }
  private var file: URL { folder.url.appending(path: "credits.sqlite") }
  private var freeze: CreditFreeze { CreditFreeze(reason: .registrationLost, date: now, lostBalance: 10) }

  private func store(_ client: PurchaseServerClient) throws -> LedgerCreditStore {
    let date = now
    return try LedgerCreditStore(
      at: file, server: client, unit: "coins", attempts: 1, retry: EagerRetry(),
      clock: SleeplessClock(date: date), proof: { .appReceipt(Data("receipt".utf8)) })
  }

  private func answer() {
    let account = account
    server.once("/credits") { call, _ in try account.answer(call) }
  }

  /// Reads the 10 coins of the device's first customer, and ends the app.
  private func readCoins() async throws {
    account.begin(incarnation: Self.ledger)
    let store = try store(server.client(keys: keys))
    answer()
    try await store.refresh()
    #expect(try store.balance() == 10 && store.freeze() == nil)
    #expect(try store.creditsAtRisk.isNothing)
    try store.close()
  }

  /// Returns a client without a token. The server registers another customer, who has no coins.
  private func newClient(ledger: String = Self.ledger) -> PurchaseServerClient {
    server.once("/installations") { _, _ in
      .init(status: 201, body: Data(#"{"customer": "\#(UUID().uuidString)", "token": "customer_9"}"#.utf8))
    }
    answerNoCoins(ledger: ledger)
    return server.client()
  }

  private func answerNoCoins(ledger: String = Self.ledger) {
    server.once("/credits") { _, _ in .init(body: Data(#"{"credits": [], "incarnation": "\#(ledger)"}"#.utf8)) }
  }

  private func expectFrozen(_ store: LedgerCreditStore) async {
    #expect(store.freeze() == freeze)
    #expect(throws: CreditError.frozen(freeze)) { try store.balance() }
    await #expect(throws: CreditError.frozen(freeze)) { _ = try await store.spend(1, key: UUID(), date: now) }
    await #expect(throws: CreditError.frozen(freeze)) {
      _ = try await store.grant(5, for: purchase)
    }
    #expect(server.calls("/redemptions").isEmpty && server.calls("/spends").isEmpty)
    let manager = CreditManager(store: store, creditsForProduct: ["five": 5])
    #expect(
      manager.obstacle(to: "five")
        == "Credits are frozen because the server does not recognise this device any more")
  }

  @Test(
    "F1 the server's token deleted: the credits are frozen, with their number; with the token back, they can be used")
  func tokenDeleted() async throws {
    try await readCoins()
    var store = try store(newClient())
    #expect(throws: CreditError.balanceUnknown) { try store.balance() }
    try await store.refresh()
    await expectFrozen(store)
    try store.close()
    store = try self.store(server.client(keys: keys))
    #expect(try store.balance() == 10 && store.freeze() == nil)
    try store.close()
  }

  @Test("F1 a purchase is not redeemed for a new registration before it is known whether the earlier one is lost")
  func deliveredFirst() async throws {
    try await readCoins()
    let store = try store(newClient())
    await #expect(throws: CreditError.frozen(freeze)) {
      _ = try await store.grant(5, for: purchase)
    }
    await expectFrozen(store)
    try store.close()
  }

  @Test("F1 frozen credits of the server are given up only with an agreement to their current number")
  func givenUp() async throws {
    try await readCoins()
    let store = try store(newClient())
    try await store.refresh()
    let loss = try store.creditsAtRisk
    #expect((loss.credits, loss.balanceAfter, loss.freeze) == (10, 0, freeze))
    #expect(loss.customerMessage(CustomerNames()) == "10 credits cannot be brought back.")
    let other = CreditLoss(credits: 9, balanceAfter: 0, of: [], freeze: freeze)
    await #expect(throws: CreditError.lossNotAccepted(loss)) { try await store.resetCredits(accepting: other) }
    await expectFrozen(store)
    try await store.resetCredits(accepting: loss)
    #expect(try store.balance() == 0 && store.freeze() == nil)
    await #expect(throws: CreditError.notFrozen) { try await store.resetCredits(accepting: loss) }
    #expect(try store.creditsAtRisk.isNothing)
    try store.close()
  }

  @Test("F1 frozen credits can be used again when a restore joins the new customer with the earlier one")
  func joined() async throws {
    try await readCoins()
    let client = newClient()
    let store = try store(client)
    try await store.refresh()
    await expectFrozen(store)
    let body = #"{"customer": "\#(ScriptedServer.customer.uuidString)", "environment": "Sandbox", "purchases": []}"#
    server.once("/restores") { _, _ in .init(body: Data(body.utf8)) }
    _ = try await client.restore(.appReceipt(Data()))
    #expect(try store.balance() == 10 && store.freeze() == nil)
    try store.close()
  }

  @Test("F1 signed-in customers who share a device do not freeze each other's credits, nor those of the device")
  func shared() async throws {
    account.begin(incarnation: Self.ledger)
    let person = SignedInPerson(UUID())
    let client = person.client(server)
    var store = try store(client)
    person.isAnswering(server)
    answer()
    try await store.refresh()
    #expect(try store.balance() == 10)
    person.switches(to: UUID())
    client.forgetCustomer()
    person.isAnswering(server)
    answerNoCoins()
    try await store.refresh()
    #expect(try store.balance() == 0 && store.freeze() == nil)
    try store.close()
    // The app is used without a sign-in.
    store = try self.store(newClient())
    try await store.refresh()
    #expect(try store.balance() == 0 && store.freeze() == nil)
    try store.close()
  }

  @Test("F1 the customer is unknown to a restored or another ledger: the credits are not frozen, but sent again")
  func otherLedger() async throws {
    try await readCoins()
    let store = try store(newClient(ledger: "two"))
    try await store.refresh()
    #expect(try store.balance() == 0 && store.freeze() == nil)
    try store.close()
  }

  @Test(
    "F1 a file of the previous version: the balance's owner follows from a spend, or from the next answer",
    arguments: [true, false])
  func versionBefore(hasSpend: Bool) async throws {
    account.begin(incarnation: Self.ledger)
    var store = try store(server.client(keys: keys))
    answer()
    try await store.refresh()
    if hasSpend {
      server.once("/spends") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
      await #expect(throws: CreditError.self) { _ = try await store.spend(4, key: UUID(), date: now) }
    }
    try store.close()
    try await DatabaseQueue(path: file.path).write {
      try $0.execute(
        sql: "ALTER TABLE balance DROP COLUMN owner; DELETE FROM grdb_migrations WHERE identifier = '5'")
    }
    store = try self.store(server.client(keys: keys))
    #expect(try store.balance() == 10)
    if !hasSpend {
      answer()
      try await store.refresh()
    }
    try store.close()
    store = try self.store(newClient())
    try await store.refresh()
    #expect(store.freeze() == freeze)
    try store.close()
  }

  @Test("F1 after the loss of the keychain, the server's credits are frozen; a restore brings them back, and new ones")
  func keychainLost() async throws {
    try await LivePurchaseServer.running(files: ["text": Data("a".utf8)]) { server in
      let shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      try await shop.buy(ReaderStore.book)
      try await shop.buy(ReaderStore.coins)
      await shop.untilQueueIsEmpty()
      let lost = shop.client.customer
      #expect(try shop.ledgerCredits.balance() == 5)
      try await shop.close()
      let again = try ReaderShop(shop.store, folder: shop.folder, makeClient: server.client)
      #expect(try await again.client.identify() != lost)
      // A receipt of the second of the registration joins nobody.
      try await shop.store.changeClock(.advance(milliseconds: 1000))
      // The balance was not requested yet, so the app sells coins. They would bind the device to its new customer.
      await #expect {
        try await again.buy(ReaderStore.coins)
      } throws: {
        if case CreditError.frozen(let freeze) = $0 { freeze.lostBalance == 5 } else { false }
      }
      #expect(again.credits.obstacle(to: ReaderStore.coins) != nil)
      _ = try await again.client.restore(.appReceipt(Data(contentsOf: again.device.receiptURL)))
      #expect(again.client.customer == lost)
      #expect(try again.ledgerCredits.balance() == 5)
      #expect(await again.manager.deliverKept().isEmpty)
      #expect(try again.ledgerCredits.balance() == 10)
      try await again.close()
    }
  }
}
