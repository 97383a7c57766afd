import Foundation
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("Credits in the server's ledger", .timeLimit(.minutes(30)))
struct LedgerCreditTests {
  private let server = ScriptedServer()
  private let account = CreditAccountDouble()
  private let folder = TestFolder()
  private let keys = MemoryVaultKeyStore()
  private let now = Date(timeIntervalSince1970: 1_790_000_000)

  private func store(_ client: PurchaseServerClient? = nil, attempts: Int = 1) throws -> LedgerCreditStore {
    let date = now
    return try LedgerCreditStore(
      at: folder.url.appending(path: "credits.sqlite"), server: client ?? server.client(keys: keys), unit: "coins",
      attempts: attempts, retry: EagerRetry(), clock: SleeplessClock(date: date),
      proof: { .appReceipt(Data("receipt".utf8)) })
  }

  /// Lets the account answer the next `count` requests.
  private func answer(_ count: Int = 1) {
    let account = account
    for _ in 0..<count { server.once("/credits") { call, _ in try account.answer(call) } }
  }

  @Test("a spend whose answer is lost is recorded, also after a kill, and repeated with its key: it is made once")
  func lostAnswer() async throws {
    let account = account
    var store = try store()
    let key = UUID()
    server.once("/spends") { call, _ in
      _ = try account.answer(call)
      throw HTTPFailure.noAnswer(reason: "cut")
    }
    await #expect(
      throws: CreditError.outcomeUnknown(key: key, reason: PurchaseServerError.network(reason: "cut").description)
    ) {
      _ = try await store.spend(4, key: key, date: now)
    }
    #expect(try store.pendingSpends.map(\.key) == [key])
    // The app is killed and launched again.
    try store.close()
    store = try self.store()
    #expect(try store.pendingSpends.map(\.credits) == [4])
    answer()
    #expect(try await store.settlePendingSpends() == [key: .spent])
    #expect(account.spent == [4])
    #expect(try store.balance() == 6)
    #expect(try store.balanceDate() == now)
    #expect(try store.pendingSpends.isEmpty)
    try store.close()
  }

  @Test("a repeated spend returns its first answer; the stored balance is that of the latest movement")
  func replayed() async throws {
    let (account, store) = (account, try store())
    let key = UUID()
    server.once("/spends") { call, _ in
      _ = try account.answer(call)
      throw HTTPFailure.noAnswer(reason: "cut")
    }
    await #expect(throws: CreditError.self) { _ = try await store.spend(4, key: key, date: now) }
    answer(2)
    #expect(try await store.spend(5, key: UUID(), date: now) == 1)
    #expect(try await store.spend(4, key: key, date: now) == 1)
    #expect(try store.balance() == 1)
    #expect(account.spent == [4, 5])
    try store.close()
  }

  @Test("the spend is recorded before the request is sent")
  func journalledFirst() async throws {
    let (account, store) = (account, try store())
    let key = UUID()
    server.once("/spends") { call, _ in
      #expect((try? store.pendingSpends.map(\.key)) == [key])
      return try account.answer(call)
    }
    #expect(try await store.spend(4, key: key, date: now) == 6)
    #expect(try store.pendingSpends.isEmpty)
  }

  @Test("a spend above the balance changes nothing, and its record is deleted")
  func insufficient() async throws {
    let store = try store()
    answer(2)
    await #expect(throws: CreditError.insufficient(balance: 10, requested: 11)) {
      _ = try await store.spend(11, key: UUID(), date: now)
    }
    #expect(try store.pendingSpends.isEmpty)
    #expect(account.spent.isEmpty)
    await #expect(throws: CreditError.amountOutOfRange(0)) { _ = try await store.spend(0, key: UUID(), date: now) }
  }

  @Test("an unreachable server is asked again up to the retry limit, with the same key")
  func busy() async throws {
    let store = try store(attempts: 3)
    for _ in 0..<2 { server.once("/spends") { _, _ in .init(status: 503, fields: ["Retry-After": "2"]) } }
    answer()
    #expect(try await store.spend(4, key: UUID(), date: now) == 6)
    #expect(account.spent == [4])
    let bodies = server.calls("/spends").map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
    #expect(bodies.count == 3 && Set(bodies.map { $0.contains("\"amount\":4") }) == [true])
  }

  @Test("a spend of one customer is never made as another: its record stays")
  func otherCustomer() async throws {
    let store = try store()
    server.once("/spends") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
    await #expect(throws: CreditError.self) { _ = try await store.spend(4, key: UUID(), date: now) }
    try store.close()
    // The installation must register again, and gets a new customer, who began no spend.
    let again = try self.store()
    let stranger = UUID()
    server.once("/spends") { _, _ in
      .init(status: 401, body: Data(#"{"error": {"code": "tokenRefused", "message": "Register again."}}"#.utf8))
    }
    server.once("/installations") { _, _ in
      .init(status: 201, body: Data(#"{"customer": "\#(stranger.uuidString)", "token": "customer_9"}"#.utf8))
    }
    for _ in 0..<2 {
      server.once("/customer") { _, _ in .init(body: Data(#"{"customer": "\#(stranger.uuidString)"}"#.utf8)) }
      #expect(try await again.settlePendingSpends().isEmpty)
      #expect(try again.pendingSpends.isEmpty)
    }
    #expect(server.calls("/spends").count == 2)
    // A redemption has joined the new customer with the old one, so the spend can be made now.
    answer()
    #expect(try await again.settlePendingSpends().count == 1)
    #expect(account.spent == [4])
    try again.close()
  }

  @Test("the next customer sees no balance of the previous one, and makes none of their spends")
  func signedInNext() async throws {
    let (first, second) = (UUID(), UUID())
    let person = SignedInPerson(first)
    let client = person.client(server)
    let store = try store(client)
    person.isAnswering(server)
    answer()
    try await store.refresh()
    #expect(try store.balance() == 10)
    let key = UUID()
    server.once("/spends") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
    await #expect(throws: CreditError.self) { _ = try await store.spend(4, key: key, date: now) }
    #expect(try store.pendingSpends.map(\.key) == [key])
    // Another person signs in, and the app notifies the client.
    person.switches(to: second)
    client.forgetCustomer()
    #expect(throws: CreditError.balanceUnknown) { try store.balance() }
    #expect(throws: CreditError.balanceUnknown) { try store.pendingSpends }
    #expect(try store.balanceDate() == nil)
    // Without that notification, the client notices the change from the token.
    person.isAnswering(server)
    #expect(try await client.currentIdentity().customer == second)
    #expect(throws: CreditError.balanceUnknown) { try store.balance() }
    #expect(try await store.settlePendingSpends().isEmpty)
    await #expect(throws: CreditError.otherCustomer(key: key)) { _ = try await store.spend(4, key: key, date: now) }
    #expect(server.calls("/spends").count == 1 && account.spent.isEmpty)
    // The first person signs in again.
    person.switches(to: first)
    person.isAnswering(server)
    answer()
    #expect(try await store.settlePendingSpends() == [key: .spent])
    #expect(try store.balance() == 6)
    try store.close()
  }

  @Test("an answer that arrives after the customer was forgotten sets no customer")
  func answeredLate() async throws {
    let person = SignedInPerson(UUID())
    let client = person.client(server)
    server.once("/customer") { _, _ in
      client.forgetCustomer()
      return .init(body: Data(#"{"customer": "\#(UUID().uuidString)"}"#.utf8))
    }
    try await client.identify()
    #expect(client.customer == nil)
  }

  @Test("before the first answer of the server, there is no balance")
  func unknown() async throws {
    let store = try store()
    #expect(throws: CreditError.balanceUnknown) { try store.balance() }
    #expect(try store.balanceDate() == nil)
    answer()
    try await store.refresh()
    #expect(try store.balance() == 10)
  }
}
