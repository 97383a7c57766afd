import AppStoreEmulator
import AppStoreEmulatorServer
import AppStoreServerAPI
import Crypto
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import StoreModel

/// Measures calls of the App Store Server API over HTTP. For comparison: a server that verifies a P-256 signature, as that of a
/// token, signs as often as the answer has signatures, and answers with as many bytes.
enum ServerAPIBenchmarks {
  /// A call, and the number of signatures in its answer.
  private static let calls: [(name: String, path: String, signatures: Int)] = [
    ("Get Transaction Info", "v1/transactions", 1),
    ("Get All Subscription Statuses", "v1/subscriptions", 2),
    ("Get Transaction History, a page of 20", "v2/history", 20),
  ]

  static func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "server-api-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    Report.title("App Store Server API over HTTP, one connection")
    for (place, folder) in [("in memory", nil), ("on disk", folder)] {
      let api = try await Served(in: folder)
      for call in calls {
        let pair = try await api.pair(call.path, signatures: call.signatures)
        let (bare, measured) = try await RedemptionServiceBenchmarks.onThread {
          try pair.measure("\(call.name), \(place)", count: 2_000)
        }
        Report.line(bare)
        Report.line(measured, bare: bare)
      }
      try api.store.close()
    }
  }

  /// A served store with a subscription of 24 periods, and the server for comparison. Both listen until the process ends.
  struct Served {
    let store: EmulatedAppStore
    private let transaction: TransactionID
    private let token: String
    private let ports: (store: Int, bare: Int)

    /// - Parameter folder: the store's folder; nil to keep it in memory.
    init(in folder: URL?) async throws {
      store = try await SubscriptionBenchmarks.store(folder)
      transaction = try await store.purchase(
        SubscriptionBenchmarks.monthly, of: SubscriptionBenchmarks.app, for: "customer", in: .sandbox
      ).record.transactionID
      try await store.changeClock(.advance(milliseconds: 715 * SubscriptionBenchmarks.day))
      _ = try await store.transactionCount(RecordFilter())
      let (key, pem) = try await store.addAPIKey(for: SubscriptionBenchmarks.app)
      token = try ServerAPIKey(keyID: key.keyID, issuerID: key.issuerID ?? "", pem: pem)
        .token(for: SubscriptionBenchmarks.app, at: SystemClock().now, lifetimeSeconds: 3_000).text
      let server = try EmulatorServer(
        store: store, configuration: .init(port: 0),
        logger: Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() }))
      ports = (try await Self.listen { server.application(onReady: $0) }, try await Self.listen(Self.bareApplication))
    }

    private static func listen(
      _ application: (@escaping @Sendable (Int) async -> Void) throws -> some Service
    ) async throws -> Int {
      let (ports, port) = AsyncStream.makeStream(of: Int.self)
      let application = try application { port.yield($0) }
      Task { try await application.run() }
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      return number
    }

    /// Answers `/SIGNATURES/BYTES`.
    private static func bareApplication(_ onReady: @escaping @Sendable (Int) async -> Void) throws -> some Service {
      let key = P256.Signing.PrivateKey()
      let publicKey = key.publicKey
      // As long as a token, and as a signed transaction with its certificates.
      let (token, transaction) = (Data(repeating: 0x61, count: 330), Data(repeating: 0x61, count: 3_768))
      let signature = try key.signature(for: token)
      let router = Router()
      router.get("/:signatures/:bytes") { _, context in
        let signatures = try context.parameters.require("signatures", as: Int.self)
        let bytes = try context.parameters.require("bytes", as: Int.self)
        guard publicKey.isValidSignature(signature, for: token) else { throw HTTPError(.unauthorized) }
        for _ in 0..<signatures { SigningBenchmarks.blackHole(try key.signature(for: transaction)) }
        return ByteBuffer(repeating: 0x78, count: bytes)
      }
      return Application(
        router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) },
        logger: Logger(label: "bare") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A call, and the bare request with an answer of the same size.
    func pair(_ path: String, signatures: Int) async throws -> Pair {
      let request = Self.request("/sandbox/inApps/\(path)/\(transaction)", token: token)
      let port = ports.store
      let answer = try await RedemptionServiceBenchmarks.onThread {
        try BlockingConnection(port: port).answer(to: request)
      }
      guard answer.status == 200 else { throw CancellationError() }
      return Pair(
        call: (ports.store, request),
        bare: (ports.bare, Self.request("/\(signatures)/\(answer.bytes)", token: token)), signatures: signatures)
    }

    private static func request(_ path: String, token: String) -> [UInt8] {
      Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
    }
  }

  struct Pair: Sendable {
    let call: (port: Int, request: [UInt8])
    let bare: (port: Int, request: [UInt8])
    let signatures: Int

    /// Makes the two requests in turn. Blocks its thread.
    func measure(_ name: String, count: Int) throws -> (bare: Measurement, call: Measurement) {
      let connections = (bare: try BlockingConnection(port: bare.port), call: try BlockingConnection(port: call.port))
      var samples: (bare: [Double], call: [Double]) = ([], [])
      for number in 0..<count + count / 10 {
        let start = ContinuousClock.now
        guard try connections.bare.status(of: bare.request) == 200 else { throw CancellationError() }
        let middle = ContinuousClock.now
        guard try connections.call.status(of: call.request) == 200 else { throw CancellationError() }
        // The first ones are not counted.
        guard number >= count / 10 else { continue }
        samples.bare.append((middle - start).inSeconds * 1e6)
        samples.call.append((ContinuousClock.now - middle).inSeconds * 1e6)
      }
      let signatures = signatures == 1 ? "a signature" : "\(signatures) signatures"
      return (
        Measurement(
          name: "bare HTTP round trip, a verification and \(signatures)", samples: samples.bare.sorted()),
        Measurement(name: name, samples: samples.call.sorted())
      )
    }

    /// Makes one of the two requests `count` times, on a connection of its own.
    static func repeated(_ count: Int, _ request: (port: Int, request: [UInt8])) async throws {
      let (port, bytes) = request
      try await RedemptionServiceBenchmarks.onThread {
        let connection = try BlockingConnection(port: port)
        for _ in 0..<count {
          guard try connection.status(of: bytes) == 200 else { throw CancellationError() }
        }
      }
    }
  }
}
