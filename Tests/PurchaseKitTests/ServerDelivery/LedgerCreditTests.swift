import Foundation
import HTTPExchange
import Testing

@testable import PurchaseKit

@Suite("Credits whose books the server keeps", .timeLimit(.minutes(5)))
struct LedgerCreditTests {
  /// A server's credit account behind a scripted server.
  private final class Account: @unchecked Sendable {
    private let lock = NSLock()
    private var spends: [String: Int] = [:]
    private var balance = 10

    var spent: [Int] { lock.withLock { spends.values.sorted() } }

    func answer(_ call: HTTPCall) throws -> ScriptedServer.Answer {
      try lock.withLock {
        if call.method == "GET" {
          return .init(
            body: Data(#"{"credits": [{"unit": "coins", "balance": \#(balance), "isSpendingBlocked": false}]}"#.utf8))
        }
        let order = try JSONSerialization.jsonObject(with: call.body ?? Data()) as! [String: Any]
        let (key, amount) = (order["key"] as! String, order["amount"] as! Int)
        if spends[key] == nil {
          guard amount <= balance else {
            return .init(
              status: 409, body: Data(#"{"error": {"code": "insufficientCredits", "message": "No."}}"#.utf8))
          }
          spends[key] = amount
          balance -= amount
        }
        return .init(
          body: Data(
            """
            {"sequence": 1, "amount": -\(amount), "balance": \(balance), "cause": "spend", "key": "\(key)",
             "counterAccount": "spending", "date": 1800000000000}
            """.utf8))
      }
    }
  }

  private let server = ScriptedServer()
  private let account = Account()
  private let folder = TestFolder()
  private let keys = MemoryVaultKeyStore()
  private let now = Date(timeIntervalSince1970: 1_790_000_000)

  private func store(attempts: Int = 1) throws -> LedgerCreditStore {
    let date = now
    return try LedgerCreditStore(
      at: folder.url.appending(path: "credits.sqlite"), server: server.client(keys: keys), unit: "coins",
      attempts: attempts, reachability: EagerReachability(), clock: SleeplessClock(), now: { date },
      proof: { .appReceipt(Data("receipt".utf8)) })
  }

  /// The account answers the next so many requests.
  private func answer(_ count: Int = 1) {
    let account = account
    for _ in 0..<count { server.once("/credits") { call, _ in try account.answer(call) } }
  }

  @Test("a spend whose answer is lost is on record, also after a kill, and asked again with its key: it is spent once")
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
    // Killed, and launched again.
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

  @Test("the spend is on record before the server is asked")
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

  @Test("a spend that the balance does not cover changes nothing, and is off the record")
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

  @Test("a server that is down is asked again as often as is wished, with the same key")
  func busy() async throws {
    let store = try store(attempts: 3)
    for _ in 0..<2 { server.once("/spends") { _, _ in .init(status: 503, fields: ["Retry-After": "2"]) } }
    answer()
    #expect(try await store.spend(4, key: UUID(), date: now) == 6)
    #expect(account.spent == [4])
    let bodies = server.calls("/spends").map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
    #expect(bodies.count == 3 && Set(bodies.map { $0.contains("\"amount\":4") }) == [true])
  }

  @Test("a spend of one customer is never made as another: it stays on record")
  func otherCustomer() async throws {
    let store = try store()
    server.once("/spends") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
    await #expect(throws: CreditError.self) { _ = try await store.spend(4, key: UUID(), date: now) }
    try store.close()
    // The installation has to be registered anew, and the new customer has no credits.
    let again = try self.store()
    server.once("/spends") { _, _ in .init(status: 401) }
    server.once("/installations") { _, _ in
      .init(status: 201, body: Data(#"{"customer": "\#(UUID().uuidString)", "token": "customer_9"}"#.utf8))
    }
    server.once("/spends") { _, _ in
      .init(status: 409, body: Data(#"{"error": {"code": "insufficientCredits", "message": "No."}}"#.utf8))
    }
    #expect(try await again.settlePendingSpends().isEmpty)
    #expect(try again.pendingSpends.count == 1)
    server.once("/customer") { _, _ in .init(body: Data(#"{"customer": "\#(UUID().uuidString)"}"#.utf8)) }
    #expect(try await again.settlePendingSpends().isEmpty)
    #expect(server.calls("/spends").count == 3)
    // A redemption has joined the new customer with the old one: now it is the same spend.
    answer()
    #expect(try await again.settlePendingSpends().count == 1)
    #expect(account.spent == [4])
    try again.close()
  }

  @Test("no balance is told before the server was asked")
  func unknown() async throws {
    let store = try store()
    #expect(throws: CreditError.balanceUnknown) { try store.balance() }
    #expect(try store.balanceDate() == nil)
    answer()
    try await store.refresh()
    #expect(try store.balance() == 10)
  }
}
