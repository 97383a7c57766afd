import AsyncHTTPClient
import Foundation
import NIOCore
import PrivatePostgreSQL
import StoreModel
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct RedemptionLoadTests {
  private static let clients = 64
  private static let purchases = 24
  /// Additional purchases that are refunded, and whose refund is reversed, before they are redeemed.
  private static let reversed = 8
  private static let customers = 8

  @Test(
    """
    64 clients redeem the same and other purchases while the server is killed repeatedly: each is granted once, also \
    after a reversed refund (SQLite)
    """,
    .timeLimit(.minutes(10)))
  func sqlite() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "redemption-load-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    try await run(in: folder, database: ["sqlite": "ledger.sqlite"], servers: 1)
  }

  @Test(
    "64 clients of two servers on one PostgreSQL, which are killed in turn: each purchase is granted once",
    .timeLimit(.minutes(10)))
  func postgreSQL() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "redemption-load-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    try await PrivatePostgreSQL.shared.get().withDatabase { connection in
      try await run(
        in: folder, database: ["postgresql": connection, "connections": 4, "withoutFsync": true], servers: 2)
    }
  }

  private func run(in folder: URL, database: [String: Any], servers: Int) async throws {
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
      let load = RedemptionLoad(processes: processes, ports: await processes.ports)
      try await load.publishCoins(operatorKey)
      try await check(try await load.run(proofs), Self.purchases + Self.reversed, load)
      #expect(await processes.kills >= 5)
      try await processes.stop()
    }
  }

  /// Compares the grants of each client with the server's movements at the end.
  private func check(_ result: RedemptionLoad.Result, _ proofs: Int, _ load: RedemptionLoad) async throws {
    #expect(result.owners.count == proofs)
    #expect(result.contradictions == [])
    for (index, token) in result.tokens.enumerated() {
      let granted = result.owners.values.filter { $0 == index }.count
      let movements = try await load.movements(token)
      // A refunded purchase is recorded as a grant and a revocation. The reversal of the refund grants it again.
      let grants = movements.filter { ["purchase", "refund", "refundReversed"].contains($0.cause) }
      #expect(grants.reduce(0) { $0 + $1.amount } == Int64(granted * 5), "\(movements.map { ($0.cause, $0.amount) })")
      #expect(movements.filter { $0.cause == "purchase" }.map(\.amount) == Array(repeating: 5, count: granted))
      #expect(movements.filter { $0.cause == "spend" }.count == result.spends[index] ?? 0)
      #expect(movements.first?.balance ?? 0 == Int64(granted * 5 - (result.spends[index] ?? 0)))
      #expect(movements.reduce(0) { $0 + $1.amount } == movements.first?.balance ?? 0)
    }
  }
}

extension Program {
  /// Returns the output of a command after it has ended.
  static func output(of arguments: String...) -> () async throws -> String {
    {
      let program = try Program(arguments: arguments)
      let (output, status) = try await program.finish()
      #expect(status == 0, "\(program.standardError)")
      return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}
