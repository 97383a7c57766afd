import AppStoreEmulator
import Foundation
import PrivatePostgreSQL
import SharedFixtures
import StoreModel
import Testing

/// A purchase server that is killed with SIGKILL while it records a notification in PostgreSQL. For SQLite, see
/// `CommitPointTests`.
@Suite("Killed while a notification is recorded (PostgreSQL)", .timeLimit(.minutes(30)))
struct NotificationKillTests {
  @Test("Before the commit, nothing is stored, and the next attempt records the refund once")
  func beforeCommit() async throws {
    try await Killing.run(.beforeCommit) { killing async throws in
      #expect(try killing.rows("SELECT type, state FROM notification").isEmpty)
      #expect(try killing.rows("SELECT amount FROM credit_movement") == [["5"]])
      #expect(try await killing.answerOfNextAttempt() == #"{"result":"recorded"}"#)
    }
  }

  @Test("After the commit and before the answer, the refund is stored; the next attempt is known and changes nothing")
  func afterCommit() async throws {
    try await Killing.run(.afterCommit) { killing async throws in
      #expect(try killing.rows("SELECT type, state FROM notification") == [["REFUND", "recorded"]])
      #expect(try killing.rows("SELECT amount FROM credit_movement ORDER BY sequence") == [["5"], ["-5"]])
      #expect(try await killing.answerOfNextAttempt() == #"{"result":"known"}"#)
    }
  }
}

/// A server whose ledger is in PostgreSQL behind a proxy, and a store that has refunded a redeemed purchase.
private struct Killing: Sendable {
  private static let hour: Int64 = 3_600_000

  let store: EmulatedAppStore
  let processes: ServerProcesses
  /// Connects to PostgreSQL without the proxy.
  let connection: String

  /// Kills the server at the commit of a refund, and starts it again.
  ///
  /// - Parameter body: called when the server runs again.
  static func run(_ cut: LossyProxy.Cut, _ body: @Sendable (Killing) async throws -> Void) async throws {
    let postgreSQL = try PrivatePostgreSQL.shared.get()
    let (folder, proxy) = (try ScratchFolder(), try LossyProxy(before: postgreSQL.folder))
    defer { try? proxy.close() }
    let coinStore = try await CoinStore()
    // The sandbox has no second attempt.
    let sold = try await coinStore.sell(CoinStore.coins, to: "customer", in: .production)
    let id = try LoadedStore.id(of: sold)
    try await postgreSQL.withDatabase { connection in
      try await coinStore.listening { emulator in
        let behindProxy = connection.replacing("host=\(postgreSQL.folder)", with: "host=\(proxy.path)")
        let configuration = folder.url.appending(path: "server.json")
        try JSONSerialization.data(withJSONObject: [
          "database": LoadedDatabase.postgreSQL(connection: behindProxy).configuration, "trust": ["emulator": emulator],
          "content": ["folder": "content", "linkKeys": [Data(repeating: 7, count: 32).base64EncodedString()]],
          "apps": [["bundleId": CoinStore.app.rawValue]], "log": ["level": "error"],
          // What is lost comes again by the store's next attempt, not from its history.
          "notifications": ["catchUpMinutes": 0],
        ]).write(to: configuration)
        let key = try await Program.output(of: "server", "operator-key", "--config", configuration.path, "olga")()
        let processes = ServerProcesses(configuration: configuration)
        try await processes.start(1)
        let killing = Killing(store: coinStore.store, processes: processes, connection: connection)
        try await killing.redeem(sold, key)

        let server = await processes.identifier(of: 0)
        proxy.cut(cut, of: id.rawValue) { kill(server, SIGKILL) }
        try await coinStore.store.refund(id)
        try await coinStore.store.settleNotifications(timeoutMilliseconds: 600_000)
        try await processes.startKilled(0)
        #expect(try await killing.attempts().map { $0.httpStatus } == [nil])

        try await body(killing)
        // In both cases.
        try await killing.isRecordedOnce()
        try await coinStore.store.resendNotification(killing.notification().uuid)
        try await coinStore.store.settleNotifications(timeoutMilliseconds: 600_000)
        #expect(try await killing.attempts().map(\.answer).last == #"{"result":"known"}"#)
        try await killing.isRecordedOnce()
        try await processes.stop()
      }
    }
  }

  private func redeem(_ proof: String, _ key: String) async throws {
    let client = LoadClient(ports: await processes.ports)
    try await LoadedOperators(client, key: key).publish()
    let load = RedemptionLoad(client)
    #expect(try await load.redeem(proof, load.register()).status == 200)
    let address = URL(string: "http://127.0.0.1:\(client.ports[0])/v1/apps/\(CoinStore.app)/notifications")
    try await store.setNotificationURL(address)
  }

  func rows(_ sql: String) throws -> [[String?]] { try PlainConnection(connection).run(sql) }

  func notification() async throws -> StoredNotification {
    let all = try await store.notifications().notifications
    #expect(all.count == 1)
    return try #require(all.first)
  }

  func attempts() async throws -> [NotificationAttempt] { try await notification().attempts }

  /// The store's second attempt comes an hour later.
  func answerOfNextAttempt() async throws -> String? {
    try await store.changeClock(.advance(milliseconds: Self.hour))
    try await store.settleNotifications(timeoutMilliseconds: 600_000)
    let attempts = try await attempts()
    #expect(attempts.count == 2)
    return attempts.last?.answer
  }

  private func isRecordedOnce() async throws {
    #expect(try rows("SELECT type, state, source FROM notification") == [["REFUND", "recorded", "sent"]])
    let movements = try rows("SELECT cause, amount, balance FROM credit_movement ORDER BY sequence")
    #expect(movements == [["purchase", "5", "5"], ["refund", "-5", "0"]])
    #expect(try rows("SELECT given, taken FROM claim") == [["5", "5"]])
    #expect(try rows("SELECT customer FROM ledger_check").isEmpty)
  }
}
