import AppStoreEmulator
import Foundation
import NIOCore
import PurchaseKit
import PurchaseLedger
import PurchaseServer
import SignedData
import StoreModel
import Testing

/// The real purchase server on a port of this machine, for the app that sells books.
struct LivePurchaseServer {
  let url: URL
  let ledger: Ledger
  let clock: MovableClock

  /// Starts a server, calls `body`, and stops the server.
  ///
  /// - Parameters:
  ///   - files: the files of the book, by name.
  ///   - map: the only file of the atlas.
  ///   - database: the ledger's database; nil for a database in memory.
  static func running<Value: Sendable>(
    files: [String: Data], map: Data = Data(), inlineLimitBytes: Int64 = 1000,
    database: (any LedgerDatabase)? = nil,
    _ body: @Sendable (LivePurchaseServer) async throws -> Value
  ) async throws -> Value {
    let folder = TestFolder()
    let app = ScriptedServer.bundleID
    let anchors = try IssuingAuthority.shared.anchors
    let clock = MovableClock()
    let ledger = try await Ledger(
      database: database ?? SQLiteLedgerDatabase(at: nil), anchors: anchors, apps: [app: LedgerSettings()], clock: clock
    )
    let content = try await FolderContentStore(folder: folder.url)
    let coins = try #require(CreditUnit(rawValue: "coins"))
    try await ledger.publish(
      LedgerProduct(
        id: ProductID(ReaderStore.coins), type: .consumable,
        credits: LedgerProduct.Credits(unit: coins, amount: 5)), app: app, by: "olga")
    for (product, files) in [(ReaderStore.book, files), (ReaderStore.atlas, ["maps": map])] {
      try await ledger.publish(
        LedgerProduct(
          id: ProductID(product), type: .nonConsumable,
          localisations: ["en": .init(name: product, description: ""), "de": .init(name: "Buch", description: "")]),
        app: app, by: "olga")
      var published: [ContentFile] = []
      for (name, data) in files {
        let stored = try await content.publish(Pieces(data: data), limitBytes: 1 << 30, expecting: .anything)
        published.append(
          ContentFile(
            name: name, size: stored.size, sha256: stored.digest.description, mediaType: "application/octet-stream"))
      }
      _ = try await ledger.publish(files: published, of: ProductID(product), app: app, by: "olga")
    }
    let service = try await PurchaseService(
      ledger: ledger,
      verifier: ProofVerifier(
        anchors: anchors, policies: [VerificationPolicy(bundleID: app, method: .offline)], server: NoReceiptServer()),
      content: content, links: DownloadLinkSigner(current: DownloadLinkKey(bytes: Array(0..<32)), clock: clock),
      configuration: .init(port: 0, inlineLimitBytes: inlineLimitBytes), logger: Listener.quiet)
    return try await Listener.running({ service.application(onReady: $0) }) { url in
      defer { withExtendedLifetime(folder) {} }
      return try await body(LivePurchaseServer(url: url, ledger: ledger, clock: clock))
    }
  }

  func client(_ keys: any VaultKeyStore, _ device: DeviceIdentifier) -> PurchaseServerClient {
    PurchaseServerClient(url, bundleID: ScriptedServer.bundleID, device: device, identity: .anonymous(keys))
  }
}

/// The machine's clock, plus the time that the test adds.
final class MovableClock: MachineClock {
  private let added = LockedValue<Int64>(0)

  var now: StoreDate { SystemClock().now.adding(seconds: added.value) }
  func advance(seconds: Int64) { added.withLock { $0 += seconds } }
}

private struct Pieces: AsyncSequence, Sendable {
  let data: Data

  func makeAsyncIterator() -> Iterator { Iterator(rest: data.isEmpty ? [] : [ByteBuffer(bytes: data)]) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: [ByteBuffer]
    mutating func next() async -> ByteBuffer? { rest.popLast() }
  }
}

/// A receipt server that always times out. These tests verify receipts offline.
private struct NoReceiptServer: ReceiptServer {
  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply { throw .timeout }
}
