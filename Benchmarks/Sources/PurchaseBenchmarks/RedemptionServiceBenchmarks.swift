import Foundation
import Logging
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import PurchaseServer
import SignedData
import StoreModel

/// Measures redemptions over HTTP with many connections. For comparison: the same requests without a ledger, which are
/// answered that the token is missing.
///
/// The clients are threads of the server's process with blocking sockets, so they share its processors.
enum RedemptionServiceBenchmarks {
  private static let app: BundleID = "com.example.credits"
  private static let connections = 64
  private static let redemptions = 6_400

  static func run() async throws {
    print("\nRedeeming over HTTP with \(connections) connections")
    print("                                                   per second    median µs      p99 µs      ratio")
    let folder = FileManager.default.temporaryDirectory.appending(path: "redemption-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await measure("SQLite", on: SQLiteLedgerDatabase(at: folder.appending(path: "ledger.sqlite")), folder)
    if let connection = ProcessInfo.processInfo.environment["POSTGRESQL"] {
      try LedgerScaleBenchmarks.emptyPostgreSQL(connection)
      let configuration = try PostgreSQLConfiguration(connectionString: connection)
      try await measure("PostgreSQL", on: PostgreSQLLedgerDatabase.open(configuration), folder)
    }
  }

  private static func measure(_ name: String, on database: any LedgerDatabase, _ folder: URL) async throws {
    let authority = IssuingAuthority()
    let anchors = try authority.anchors
    let ledger = try await Ledger(database: database, anchors: anchors, apps: [app: LedgerSettings()])
    try await ledger.publish(LedgerBenchmarks.credits, app: app, by: "benchmark")
    var tokens: [String] = []
    for _ in 0..<connections { tokens.append(try await ledger.registerInstallation(app: app, device: nil).token.text) }
    var limits = ServiceLimits()
    (limits.requestsPerSecond, limits.burst) = (1_000_000, 1_000_000)
    let service = try await PurchaseService(
      ledger: ledger, verifier: LedgerBenchmarks.verifier(anchors), content: FolderContentStore(folder: folder),
      links: DownloadLinkSigner(
        current: try DownloadLinkKey(bytes: Array(repeating: 7, count: 32)), clock: SystemClock()),
      configuration: .init(port: 0, limits: limits),
      logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
    let proofs = try LedgerBenchmarks.proofs(redemptions, signedBy: authority)
    try await DownloadBenchmarks.listening(service) { port in
      let bare = try await exchange(port, expecting: 401) { request(proofs[$0], token: nil) }
      line("the same requests without a token", bare, nil)
      let run = try await exchange(port, expecting: 200) { [tokens] in
        request(proofs[$0], token: tokens[$0 % connections])
      }
      line("redemption, \(name)", run, bare)
    }
    try await database.close()
  }

  private static func line(_ name: String, _ run: LedgerBenchmarks.Run, _ bare: LedgerBenchmarks.Run?) {
    let ratio = bare.map { String(format: "%11.2f", run.perSecond / $0.perSecond) } ?? ""
    print(
      name.padding(toLength: 49, withPad: " ", startingAt: 0)
        + String(format: "%12.0f%13.0f%12.0f", run.perSecond, run.median, run.percentile99) + ratio)
  }

  private static func request(_ proof: (TransactionID, String), token: String?) -> [UInt8] {
    let body =
      #"{"proof": {"signedTransaction": "\#(proof.1)"}, "purchases": [{"transactionId": "\#(proof.0)"}]}"#
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return Array(
      """
      POST /v1/apps/\(app)/redemptions HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/json\r
      \(authorization)Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """.utf8)
  }

  /// Sends all requests. Each connection sends its next request when the last one was answered.
  private static func exchange(
    _ port: Int, expecting status: Int, _ request: @escaping @Sendable (Int) -> [UInt8]
  ) async throws -> LedgerBenchmarks.Run {
    let start = ContinuousClock.now
    let samples = try await withThrowingTaskGroup(of: [Double].self) { group in
      for number in 0..<connections {
        group.addTask {
          try await onThread {
            let connection = try BlockingConnection(port: port)
            return try stride(from: number, to: redemptions, by: connections).map { number in
              let start = ContinuousClock.now
              guard try connection.status(of: request(number)) == status else { throw CancellationError() }
              return LedgerBenchmarks.seconds(since: start) * 1e6
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return LedgerBenchmarks.Run(
      perSecond: Double(samples.count) / LedgerBenchmarks.seconds(since: start), samples: samples.sorted())
  }

  /// Runs `work`, which may block, on a thread of its own.
  static func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try work() }) }.start()
    }
  }
}

/// A connection that is kept open for many requests, and blocks its thread.
final class BlockingConnection {
  private let descriptor: CInt
  private var received: [UInt8] = []

  init(port: Int) throws { descriptor = try StalledDownloadBenchmarks.connected(to: port) }

  deinit { close(descriptor) }

  /// Sends a request, reads the whole response, and returns its status.
  func status(of request: [UInt8]) throws -> Int? { try answer(to: request).status }

  /// Sends a request, reads the whole response, and returns its status and the length of its body.
  func answer(to request: [UInt8]) throws -> (status: Int?, bytes: Int) {
    var sent = 0
    while sent < request.count {
      let count = request.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, $0.count - sent, 0) }
      guard count > 0 else { throw CancellationError() }
      sent += count
    }
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let end = received.firstRange(of: separator) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
          .flatMap { Int($0.split(separator: " ")[1]) }
        guard let length else { throw CancellationError() }
        if received.count >= end.upperBound + length {
          received.removeFirst(end.upperBound + length)
          return (head.split(separator: " ").dropFirst().first.flatMap { Int($0) }, length)
        }
      }
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw CancellationError() }
      received += buffer[..<count]
    }
  }
}
