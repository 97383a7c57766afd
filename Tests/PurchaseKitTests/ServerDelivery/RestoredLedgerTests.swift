import AppStoreEmulator
import Foundation
import HTTPTransport
import PurchaseLedger
import SignedData
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("A server whose ledger was restored from a backup", .timeLimit(.minutes(30)))
struct RestoredLedgerTests {
  private static let coins = CreditUnit(rawValue: "coins")!

  /// Sends calls for a fixed address to the server's current port.
  private final class MovingServer: HTTPSender {
    static let address = URL(string: "http://127.0.0.1:1")!
    private let url = LockedValue(address)

    func move(to url: URL) { self.url.value = url }

    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      var call = call
      var parts = URLComponents(url: call.url, resolvingAgainstBaseURL: false)
      parts?.port = url.withLock { $0.port }
      call.url = parts?.url ?? call.url
      try await SystemTransport().send(call, to: sink)
    }

    func client(_ keys: any VaultKeyStore, _ device: DeviceIdentifier) -> PurchaseServerClient {
      PurchaseServerClient(
        Self.address, bundleID: ScriptedServer.bundleID, device: device, identity: .anonymous(keys), transport: self)
    }
  }

  @Test(
    "B9 consumables and spends since the backup are in the restored ledger once the app has read its balance",
    arguments: [true, false], StoreInterface.allCases)
  func restored(isCustomerInBackup: Bool, _ storeKit: StoreInterface) async throws {
    let folder = TestFolder()
    let (file, backup) = (folder.url.appending(path: "ledger.sqlite"), folder.url.appending(path: "backup.sqlite"))
    let address = MovingServer()
    let shop = try ReaderShop(try await ReaderStore().store, storeKit: storeKit, makeClient: address.client)
    func run(_ body: @escaping @Sendable (LivePurchaseServer, SQLiteLedgerDatabase) async throws -> Void) async throws {
      let database = try SQLiteLedgerDatabase(at: file)
      try await LivePurchaseServer.running(files: ["text": Data("a".utf8)], database: database) { server in
        address.move(to: server.url)
        try await body(server, database)
      }
      try await database.close()
    }
    @Sendable func balance(_ server: LivePurchaseServer) async throws -> CreditBalance? {
      let customer = CustomerID(rawValue: try #require(shop.client.customer))
      let balances = try await server.ledger.creditBalances(of: customer, app: ScriptedServer.bundleID)
      return balances.credits.first
    }
    let (first, second) = (UUID(), UUID())
    try await run { server, database in
      if !isCustomerInBackup { try await database.backUp(to: backup) }
      try await shop.buy(ReaderStore.coins)
      #expect(try await shop.ledgerCredits.spend(2, key: first, date: Date()) == 3)
      if isCustomerInBackup { try await database.backUp(to: backup) }
      try await shop.buy(ReaderStore.coins)
      try await shop.buy(ReaderStore.coins)
      #expect(try await shop.ledgerCredits.spend(9, key: second, date: Date()) == 4)
      await shop.untilQueueIsEmpty()
      #expect(try await balance(server)?.movements == 5)
    }
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: URL(filePath: file.path + ending))
    }
    try FileManager.default.copyItem(at: backup, to: file)

    try await run { server, _ in
      try await shop.ledgerCredits.refresh()

      #expect(try shop.ledgerCredits.balance() == 4)
      #expect(try await balance(server)?.balance == 4)
      #expect(try await balance(server)?.movements == 5)
      // Another refresh, and another spend with an earlier key, change nothing.
      try await shop.ledgerCredits.refresh()
      #expect(try await shop.ledgerCredits.spend(9, key: second, date: Date()) == 4)
      #expect(try await balance(server)?.movements == 5)
      #expect(try await shop.ledgerCredits.spend(4, key: UUID(), date: Date()) == 0)
    }
    try await shop.close()
  }

  // MARK: Order of answers

  private let server = ScriptedServer()
  private let account = CreditAccountDouble()

  private func store(_ folder: TestFolder) throws -> LedgerCreditStore {
    try LedgerCreditStore(
      at: folder.url.appending(path: "credits.sqlite"), server: server.client(keys: MemoryVaultKeyStore()),
      unit: "coins", attempts: 1, retry: EagerRetry(), clock: SleeplessClock(),
      proof: { .appReceipt(Data("receipt".utf8)) })
  }

  private func answer(_ count: Int = 1) {
    let account = account
    for _ in 0..<count { server.once("/credits") { call, _ in try account.answer(call) } }
  }

  @Test("F3 a restored ledger's balance is accepted at once, although it counts fewer movements")
  func believedAtOnce() async throws {
    let folder = TestFolder()
    let (account, store) = (account, try store(folder))
    account.begin(incarnation: "one")
    answer()
    #expect(try await store.spend(4, key: UUID(), date: Date()) == 6)

    account.restore(movements: 1, incarnation: "two")
    // The restored server lacks the spend, so the app sends it again. The calls are balance, spend, balance.
    let seen = BalanceLog()
    server.once("/credits") { call, _ in try account.answer(call) }
    server.once("/spends") { call, _ in
      seen.append(try? store.balance())
      return try account.answer(call)
    }
    answer()
    try await store.refresh()

    #expect(seen.balances == [10])
    #expect(try store.balance() == 6)
    #expect(account.spent == [4])
    try store.close()
  }

  @Test("F3 a late answer of the previous ledger is ignored")
  func lateAnswer() async throws {
    let folder = TestFolder()
    let (account, store, server) = (account, try store(folder), server)
    account.begin(incarnation: "one")
    answer()
    try await store.refresh()
    let gate = Gate()
    server.once("/credits") { call, _ in
      let late = try account.answer(call)
      await gate.pass()
      return late
    }
    async let late: Void = store.refresh()
    await gate.arrival()
    account.restore(movements: 0, incarnation: "two")
    answer()
    try await store.refresh()
    #expect(try store.balance() == 0)

    // The late answer has another incarnation. The app cannot tell which is newer, and requests the balance once more.
    answer()
    gate.open()
    try await late

    #expect(try store.balance() == 0)
    #expect(server.calls("/credits").count == 4)
    try store.close()
  }

  @Test("F3 answers without an incarnation, of servers of the previous version, are compared by their sequence numbers")
  func mixedVersions() async throws {
    let folder = TestFolder()
    let (account, store) = (account, try store(folder))
    answer(2)
    #expect(try await store.spend(1, key: UUID(), date: Date()) == 9)
    #expect(try await store.spend(1, key: UUID(), date: Date()) == 8)
    account.begin(incarnation: "one")
    answer(3)
    try await store.refresh()
    try await store.refresh()
    #expect(try store.balance() == 8)
    // The first known incarnation causes no spends to be sent again.
    #expect(server.calls("/spends").count == 2)
    try store.close()
  }
}

/// The observed balances, in order.
private final class BalanceLog: Sendable {
  private let log = LockedValue<[Int?]>([])

  var balances: [Int?] { log.value }
  func append(_ balance: Int?) { log.withLock { $0.append(balance) } }
}
