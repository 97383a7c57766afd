import Foundation
import HTTPTypes
import HummingbirdTesting
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

@Suite("A full disk", .timeLimit(.minutes(30)))
struct FullDiskTests {
  @Test(
    "Answers 503 with Retry-After to redemptions, spends and registrations, which succeed when there is space; reads go on"
  )
  func full() async throws {
    var options = ServerFixture.Options()
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    options.database = database
    let fixture = try await ServerFixture(options)
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    let coins = try await fixture.bookStore.buy(on: phone)
    let more = try await fixture.bookStore.buy(as: "payment 2", on: phone)
    try await fixture.withClient { client in
      #expect(try await client.redeem(coins, token: reader.token).status == 200)
      database.isFull = true
      for reply in [
        try await client.redeem(more, token: reader.token),
        try await client.post(
          "\(ServerFixture.path)/credits/coins/spends", #"{"key":"one","amount":2}"#, token: reader.token),
        try await client.post("\(ServerFixture.path)/installations", "{}"),
        try await client.send(.delete, "\(ServerFixture.path)/customer", token: reader.token),
        try await client.post("/v1/operator/keys", #"{"name":"ben"}"#, token: fixture.operatorKey),
        try await client.get("/ready"),
      ] {
        #expect((reply.status, reply.code) == (503, "notWritable"), "\(reply.text)")
        #expect(reply.headers[.retryAfter] != nil)
      }
      #expect(try await client.get("\(ServerFixture.path)/credits", token: reader.token).status == 200)
      #expect(try await client.get("\(ServerFixture.path)/customer/export", token: reader.token).status == 200)
      database.isFull = false
      #expect(try await client.redeem(more, token: reader.token).status == 200)
      let spend = try await client.post(
        "\(ServerFixture.path)/credits/coins/spends", #"{"key":"one","amount":2}"#, token: reader.token)
      #expect(spend.object["balance"] as? Int == 8)
    }
  }

  @Test(
    "A ledger that is really full refuses a spend and a redemption with 503 and Retry-After, keeps what it has acknowledged, and goes on when there is space"
  )
  func fullFile() async throws {
    var options = ServerFixture.Options()
    let database = try SQLiteLedgerDatabase(at: nil)
    options.database = database
    options.configuration.limits.burst = 100_000
    let fixture = try await ServerFixture(options)
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    let customer = try #require(CustomerID(reader.customer))
    let unit = try #require(CreditUnit(rawValue: "coins"))
    let coins = try await fixture.bookStore.buy(on: phone)
    try await fixture.ledger.grant(
      .credits(unit, 10_000), to: customer, app: BookStore.app, key: "start", reason: "test", by: "olga")
    @Sendable func setFull(_ isFull: Bool) async throws {
      try await database.read { transaction in
        let pages = try transaction.row("PRAGMA page_count")?.integer("page_count") ?? 0
        _ = try transaction.rows("PRAGMA max_page_count = \(isFull ? pages : 1_073_741_823)")
      }
    }
    @Sendable func balance() async throws -> Int64? {
      try await fixture.ledger.creditBalances(of: customer, app: BookStore.app).credits.first?.balance
    }
    /// Spends with the keys from `first` until one is refused, and returns its answer and its number.
    @Sendable func spend(_ client: any TestClientProtocol, from first: Int) async throws -> (Reply, Int) {
      for number in first..<10_000 {
        let reply = try await client.post(
          "\(ServerFixture.path)/credits/coins/spends", #"{"key":"\#(number)","amount":1}"#, token: reader.token)
        if reply.status != 200 { return (reply, number) }
      }
      throw LedgerError.invalid("The ledger was never full.")
    }
    try await fixture.withClient { client in
      try await setFull(true)
      // Rows still fit into the pages that the ledger has. So it spends until a page is missing.
      let (refused, spent) = try await spend(client, from: 0)
      let redemption = try await client.redeem(coins, token: reader.token)
      for reply in [refused, redemption] {
        #expect((reply.status, reply.code) == (503, "notWritable"), "\(reply.text)")
        #expect(reply.headers[.retryAfter] != nil)
      }
      #expect(try await balance() == 10_000 - Int64(spent))

      try await setFull(false)
      for _ in 0..<2 {
        let reply = try await client.post(
          "\(ServerFixture.path)/credits/coins/spends", #"{"key":"\#(spent)","amount":1}"#, token: reader.token)
        #expect(reply.object["balance"] as? Int == 10_000 - spent - 1, "the key counts once: \(reply.text)")
      }
      #expect(try await client.redeem(coins, token: reader.token).status == 200)
      #expect(try await balance() == 10_000 - Int64(spent) - 1 + 5)
    }
  }

  @Test(
    "B9 a ledger whose file cannot be read answers 503 with Retry-After, says that it is the storage, and goes on when it can be read"
  )
  func unreadableFile() async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "ledger.sqlite")
    let database = try SQLiteLedgerDatabase(at: file)
    var options = ServerFixture.Options()
    options.database = database
    let fixture = try await ServerFixture(options)
    let reader = try await fixture.reader(on: fixture.bookStore.phone())
    @Sendable func setBroken(_ isBroken: Bool) async throws {
      // Pages that are in memory already are not read again.
      try await database.read { _ = try $0.rows("PRAGMA shrink_memory") }
      try BrokenDisk.set(isBroken, file)
    }
    try await fixture.withClient { client in
      for _ in 0..<2 {
        try await setBroken(true)
        for reply in [
          try await client.get("\(ServerFixture.path)/credits", token: reader.token),
          try await client.post(
            "\(ServerFixture.path)/credits/coins/spends", #"{"key":"one","amount":1}"#, token: reader.token),
        ] {
          #expect((reply.status, reply.code) == (503, "notWritable"), "\(reply.text)")
          #expect(reply.message.contains("storage cannot be read or written"))
          #expect(reply.headers[.retryAfter] != nil)
        }
        try await setBroken(false)
        #expect(try await client.get("\(ServerFixture.path)/credits", token: reader.token).status == 200)
      }
    }
    try await database.close()
  }

  @Test("every error of a database becomes 503 with Retry-After if the same request can succeed later, else 500")
  func errors() {
    for (error, status) in [
      (LedgerDatabaseError.overloaded, 503), (.unavailable(reason: ""), 503), (.closed, 503), (.full(reason: ""), 503),
      (.failed(reason: ""), 500), (.unexpectedRow(""), 500), (.newerSchema(""), 500),
      (.noClientLibrary(reason: ""), 500), (.notDurable(setting: ""), 500),
    ] {
      let response = error.errorResponse.response
      #expect(response.status.code == status, "\(error)")
      #expect((response.headers[.retryAfter] != nil) == (status == 503), "\(error)")
    }
  }
}
