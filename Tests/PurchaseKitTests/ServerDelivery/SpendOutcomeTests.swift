import Foundation
import GRDB
import HTTPTransport
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Outcomes of spends in the server's ledger", .timeLimit(.minutes(30)))
struct SpendOutcomeTests {
  private let server = ScriptedServer()
  private let account = CreditAccountDouble()
  private let folder = TestFolder()
  private let keys = MemoryVaultKeyStore()
  private let now = Date(timeIntervalSince1970: 1_790_000_000)
  private var file: URL { folder.url.appending(path: "credits.sqlite") }

  private func store(
    _ client: PurchaseServerClient? = nil, retry: any RetrySchedule = EagerRetry(), attempts: Int = 1
  ) throws -> LedgerCreditStore {
    let date = now
    return try LedgerCreditStore(
      at: file, server: client ?? server.client(keys: keys), unit: "coins", attempts: attempts,
      retry: retry, clock: SleeplessClock(date: date),
      proof: { .appReceipt(Data("receipt".utf8)) })
  }

  private func answer(_ count: Int = 1) {
    let account = account
    for _ in 0..<count { server.once("/credits") { call, _ in try account.answer(call) } }
  }

  private struct Odd: Error {}

  private func isOpen(_ error: any Error, _ key: UUID) -> Bool {
    if case CreditError.outcomeUnknown(key, _) = error { true } else { false }
  }

  @Test("after any error following the record of a spend, the app learns its key; repeating it is the same spend")
  func anyError() async throws {
    let (account, store) = (account, try store())
    let key = UUID()
    for error in [Odd(), CancellationError()] as [any Error] {
      server.once("/spends") { call, _ in
        _ = try account.answer(call)
        throw error
      }
      await #expect {
        _ = try await store.spend(4, key: key, date: now)
      } throws: {
        isOpen($0, key)
      }
    }
    answer()
    #expect(try await store.settlePendingSpends() == [key: .spent])
    #expect(account.spent == [4])
    try store.close()
  }

  @Test("a spend that the server has made counts, also if it cannot be recorded: the same key is the same spend")
  func endFails() async throws {
    let (account, store) = (account, try store())
    let key = UUID()
    server.once("/spends") { call, _ in
      let answer = try account.answer(call)
      try store.close()
      return answer
    }
    #expect(try await store.spend(4, key: key, date: now) == 6)
    let again = try self.store()
    #expect(try again.pendingSpends.map(\.key) == [key])
    answer()
    #expect(try await again.settlePendingSpends() == [key: .spent])
    #expect(account.spent == [4])
    try again.close()
  }

  @Test("a refused spend whose record cannot be deleted yet is not made later when the balance would suffice")
  func refusedAndNotEnded() async throws {
    try store().close()
    // A trigger prevents the deletion of spends until the stored balance is 99.
    try await DatabaseQueue(path: file.path).write {
      try $0.execute(
        sql: """
          CREATE TRIGGER fault BEFORE DELETE ON pending_spend WHEN NOT EXISTS (SELECT 1 FROM balance WHERE balance = 99)
          BEGIN SELECT RAISE(ABORT, 'no room'); END
          """)
    }
    let store = try store()
    let key = UUID()
    answer(2)
    await #expect {
      _ = try await store.spend(11, key: key, date: now)
    } throws: {
      isOpen($0, key)
    }
    #expect(try await store.settlePendingSpends().isEmpty)
    server.once("/credits") { _, _ in
      .init(
        body: Data(
          #"{"credits": [{"unit": "coins", "balance": 99, "movements": 2, "isSpendingBlocked": false}]}"#.utf8))
    }
    try await store.refresh()
    #expect(
      try await store.settlePendingSpends() == [key: .refused(.insufficient(balance: 10, requested: 11))])
    #expect(try store.pendingSpends.isEmpty)
    #expect(server.calls("/spends").count == 1)
    try store.close()
  }

  @Test("the outcomes of earlier spends are returned even if a later one cannot be requested")
  func laterOneThrows() async throws {
    let store = try store()
    let all = [UUID(), UUID()]
    for (index, key) in all.enumerated() {
      server.once("/spends") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
      await #expect(throws: CreditError.self) {
        _ = try await store.spend(2, key: key, date: now.addingTimeInterval(Double(index)))
      }
    }
    answer()
    server.once("/spends") { _, _ in throw Odd() }
    #expect(try await store.settlePendingSpends() == [all[0]: .spent])
    #expect(try store.pendingSpends.map(\.key) == [all[1]])
    try store.close()
  }

  @Test("a key belongs to its customer after its spend has ended: no other customer is charged")
  func keyOfAnother() async throws {
    let person = SignedInPerson(UUID())
    let client = person.client(server)
    let store = try store(client)
    person.isAnswering(server)
    answer()
    let key = UUID()
    #expect(try await store.spend(4, key: key, date: now) == 6)
    #expect(try store.pendingSpends.isEmpty)
    answer()
    #expect(try await store.spend(4, key: key, date: now) == 6)
    await #expect(throws: CreditError.keyReused(key)) { _ = try await store.spend(5, key: key, date: now) }
    person.switches(to: UUID())
    for _ in 0..<2 { person.isAnswering(server) }
    answer()
    await #expect(throws: CreditError.otherCustomer(key: key)) { _ = try await store.spend(4, key: key, date: now) }
    #expect(server.calls("/spends").count == 2)
    try store.close()
  }

  @Test("a spend begun before the installation was joined is settled as the joined customer, also later")
  func joinedAway() async throws {
    let client = server.client(keys: keys)
    let store = try store(client)
    let key = UUID()
    server.once("/spends") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
    await #expect(throws: CreditError.self) { _ = try await store.spend(4, key: key, date: now) }
    let earlier = UUID()
    server.once("/customer") { _, _ in .init(body: Data(#"{"customer": "\#(earlier.uuidString)"}"#.utf8)) }
    try await client.identify()
    #expect(client.customer == earlier)
    #expect(try store.pendingSpends.map(\.key) == [key])
    try store.close()
    let again = try self.store()
    #expect(try again.pendingSpends.map(\.key) == [key])
    answer()
    #expect(try await again.settlePendingSpends() == [key: .spent])
    #expect(try again.balance() == 6)
    try again.close()
  }

  @Test("open spends are unknown until the customer is known")
  func nobodyKnown() throws {
    let store = try store(SignedInPerson(UUID()).client(server))
    #expect(throws: CreditError.balanceUnknown) { try store.pendingSpends }
    try store.close()
  }

  @Test("a Retry-After of zero seconds still waits for the network, and does not retry at once")
  func noTime() async throws {
    let retry = EagerRetry()
    let store = try store(retry: retry, attempts: 3)
    for _ in 0..<2 { server.once("/spends") { _, _ in .init(status: 503, fields: ["Retry-After": "0"]) } }
    answer()
    #expect(try await store.spend(4, key: UUID(), date: now) == 6)
    #expect(retry.all == [1, 2])
    try store.close()
  }
}
