import AsyncHTTPClient
import Foundation
import NIOCore
import PrivatePostgreSQL
import StoreModel
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct RedemptionStormTests {
  private static let clients = 64
  private static let purchases = 24
  /// Sold besides; refunded and reversed before they are given.
  private static let reversed = 8
  private static let customers = 8

  @Test(
    """
    64 clients redeem the same and other purchases while the server is killed again and again: each is given once, also \
    what was refunded and reversed before (SQLite)
    """,
    .timeLimit(.minutes(10)))
  func sqlite() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    try await storm(in: folder, database: ["sqlite": "ledger.sqlite"], servers: 1)
  }

  @Test(
    "64 clients of two servers on one PostgreSQL, of which one or the other is killed: each is given once as well",
    .timeLimit(.minutes(10)))
  func postgreSQL() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    try await PrivatePostgreSQL.shared.get().withDatabase { connection in
      try await storm(
        in: folder, database: ["postgresql": connection, "connections": 4, "withoutFsync": true], servers: 2)
    }
  }

  private func storm(in folder: URL, database: [String: Any], servers: Int) async throws {
    let store = try await CoinStore()
    var proofs: [String] = []
    for number in 0..<Self.purchases { proofs.append(try await store.sell(number)) }
    for number in 0..<Self.reversed { proofs += try await store.sellRefundAndReverse(Self.purchases + number) }
    let configuration = folder.appending(path: "server.json")
    try await store.listening { emulator in
      let document: [String: Any] = [
        "database": database, "trust": ["emulator": emulator], "log": ["level": "error"],
        "content": ["folder": "content", "linkKeys": [Data(repeating: 7, count: 32).base64EncodedString()]],
        "apps": [["bundleId": CoinStore.app.rawValue]],
        "limits": ["requestsPerSecond": 100_000, "burst": 100_000],
      ]
      try JSONSerialization.data(withJSONObject: document).write(to: configuration)
      let key = Program.output(of: "server", "operator-key", "--config", configuration.path, "olga")
      let processes = ServerProcesses(configuration: configuration)
      let operatorKey = try await key()
      try await processes.start(servers)
      let crowd = Crowd(processes: processes, ports: await processes.ports)
      try await crowd.publishCoins(operatorKey)
      try await check(try await crowd.play(proofs), Self.purchases + Self.reversed, crowd)
      #expect(await processes.kills >= 5)
      try await processes.stop()
    }
  }

  /// What each client was given, and what the server says in the end.
  private func check(_ played: Crowd.Play, _ proofs: Int, _ crowd: Crowd) async throws {
    #expect(played.owners.count == proofs)
    #expect(played.contradictions == [])
    for (place, token) in played.tokens.enumerated() {
      let given = played.owners.values.filter { $0 == place }.count
      let movements = try await crowd.movements(token)
      // A refunded purchase is recorded as given and taken back, and the reversal gives it again.
      let gifts = movements.filter { ["purchase", "refund", "refundReversed"].contains($0.cause) }
      #expect(gifts.reduce(0) { $0 + $1.amount } == Int64(given * 5), "\(movements.map { ($0.cause, $0.amount) })")
      #expect(movements.filter { $0.cause == "purchase" }.map(\.amount) == Array(repeating: 5, count: given))
      #expect(movements.filter { $0.cause == "spend" }.count == played.spends[place] ?? 0)
      #expect(movements.first?.balance ?? 0 == Int64(given * 5 - (played.spends[place] ?? 0)))
      #expect(movements.reduce(0) { $0 + $1.amount } == movements.first?.balance ?? 0)
    }
  }
}

extension Program {
  /// What a command prints, once it is done.
  static func output(of arguments: String...) -> () async throws -> String {
    {
      let program = try Program(arguments: arguments)
      let (output, status) = try await program.finish()
      #expect(status == 0, "\(program.standardError)")
      return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}
