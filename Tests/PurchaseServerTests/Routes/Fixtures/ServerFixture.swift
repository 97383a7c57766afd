import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import PurchaseLedger
import ServiceLifecycle
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import PurchaseServer

/// A purchase server for the products of ``BookStore``.
struct ServerFixture: Sendable {
  static let path = "/v1/apps/com.example.reader"
  static let poemText = Data("Roses are red\n".utf8)
  static let bookText = Data("It was a dark and stormy night.\n".utf8)
  static let audio = Sample.bytes(100_000)

  /// The options of a server.
  struct Options: Sendable {
    var method = VerificationPolicy.Method.offline
    var environments: Set<StoreEnvironment> = [.production, .sandbox]
    var settings = LedgerSettings()
    var configuration = PurchaseService.Configuration(port: 0, inlineLimitBytes: 1_000)
    var identity: CustomerIdentity?
    var database: (any LedgerDatabase)?
    var backUp: (@Sendable () async throws -> String)?
    /// The receipt server; nil for the emulator in this process.
    var receipts: (any ReceiptServer)?
  }

  let bookStore: BookStore
  let ledger: Ledger
  let verifier: ProofVerifier
  let receiptServer: TestReceiptServer
  let folder: ScratchFolder
  let content: FolderContentStore
  let links: DownloadLinkSigner
  let service: PurchaseService
  let metrics = ServiceMetrics()
  let log = LogBook()
  let time = ManualMonotonicClock()
  let operatorKey: String
  var clock: ManualClock { bookStore.clock }

  init(_ options: Options = Options()) async throws {
    bookStore = try await BookStore()
    let (clock, log, metrics, time) = (bookStore.clock, log, metrics, time)
    receiptServer = TestReceiptServer(bookStore.store)
    ledger = try await Ledger(
      database: try options.database ?? SQLiteLedgerDatabase(at: nil), anchors: try bookStore.anchors,
      apps: [BookStore.app: options.settings, BookStore.otherApp: options.settings], clock: clock)
    verifier = try ProofVerifier(
      anchors: try bookStore.anchors,
      policies: [BookStore.app, BookStore.otherApp].map {
        VerificationPolicy(bundleID: $0, environments: options.environments, method: options.method)
      },
      server: options.receipts ?? receiptServer,
      clock: ScriptedClock(date: { clock.now }, nanoseconds: { 0 }, sleep: { _ in }),
      report: { problem in
        metrics.noteStoreFailure(of: problem.app, "\(problem)", at: clock.now)
        log.logger.warning("A request to the store failed", metadata: ["problem": "\(problem)"])
      })
    folder = try ScratchFolder()
    content = try await FolderContentStore(folder: folder.url, clock: clock)
    links = DownloadLinkSigner(current: try Sample.key(1), clock: clock)
    service = try await PurchaseService(
      ledger: ledger, verifier: verifier, content: content, links: links, identity: options.identity,
      configuration: options.configuration, metrics: metrics, backUp: options.backUp, logger: log.logger,
      dependencies: .init(clock: time))
    operatorKey = try await ledger.createOperatorKey(name: "olga", role: .admin, by: .commandLine).token.text
    try await fill()
  }

  /// Publishes the products and their files.
  private func fill() async throws {
    let coins = LedgerProduct.Credits(unit: try #require(CreditUnit(rawValue: "coins")), amount: 5)
    let products = [
      LedgerProduct(
        id: BookStore.coins, type: .consumable, credits: coins,
        localisations: [
          "en": .init(name: "Five coins", description: "To spend"),
          "de": .init(name: "Fünf Münzen", description: "Zum Ausgeben"),
        ]),
      LedgerProduct(id: BookStore.book, type: .nonConsumable),
      LedgerProduct(id: BookStore.poem, type: .nonConsumable),
      LedgerProduct(id: BookStore.magazine, type: .nonConsumable),
      LedgerProduct(id: BookStore.club, type: .autoRenewableSubscription, isListed: false),
      LedgerProduct(id: BookStore.sticker, type: .nonConsumable, isListed: false),
    ]
    for product in products { try await ledger.publish(product, app: BookStore.app, by: "olga") }
    try await publish([("book.txt", Self.bookText), ("book.m4a", Self.audio)], of: BookStore.book)
    try await publish([("poem.txt", Self.poemText)], of: BookStore.poem)
  }

  /// Publishes files as the current version of a product.
  func publish(_ files: [(name: String, data: Data)], of product: ProductID) async throws {
    var stored: [ContentFile] = []
    for file in files {
      let content = try await content.publish(
        Sample.upload(file.data), limitBytes: .max, expecting: .init(digest: Sample.digest(file.data)))
      stored.append(
        ContentFile(name: file.name, size: content.size, sha256: "\(content.digest)", mediaType: "text/plain"))
    }
    _ = try await ledger.publish(files: stored, of: product, app: BookStore.app, by: "olga")
  }

  /// Runs `body` with a client that calls the routes directly, without a network.
  func withClient<Value: Sendable>(
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Value
  ) async throws -> Value {
    try await service.application().test(.router) { try await body($0) }
  }

  /// Runs the server, and calls `body` with its port and a function that stops it.
  func listening<Value: Sendable>(
    _ body: @Sendable (Int, _ stop: @escaping @Sendable () async -> Void) async throws -> Value
  ) async throws -> Value {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = service.application { continuation.yield($0) }
    let services = ServiceGroup(
      configuration: .init(services: [application, service.draining], logger: DownloadFixture.logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = await ports.first { _ in true }
      let result: Result<Value, any Error>
      do {
        result = .success(
          try await body(try #require(port, "the listener did not start")) { await services.triggerGracefulShutdown() })
      } catch {
        result = .failure(error)
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return try result.get()
    }
  }

  // MARK: Customers

  struct Reader: Sendable {
    let customer: String
    let token: String
  }

  /// Registers an installation, on `phone` if it is given.
  func reader(on phone: BookStore.Phone? = nil, app: BundleID = BookStore.app) async throws -> Reader {
    let new = try await ledger.registerInstallation(app: app, device: phone.map { .vendorIdentifier($0.vendorID) })
    return Reader(customer: "\(new.customer)", token: new.token.text)
  }

  /// Returns the customer's entitlements, credits and deliveries as the endpoints return them, without the ledger's incarnation.
  func belongings(of token: String) async throws -> String {
    let incarnation = try await ledger.incarnation()
    return try await withClient { client in
      var text = ""
      for subject in ["entitlements", "credits", "deliveries"] {
        text += try await client.get("\(Self.path)/\(subject)", token: token).text
      }
      return text.replacing(#","incarnation":"\#(incarnation)""#, with: "")
    }
  }

  static let nothing = #"{"entitlements":[],"named":[]}{"credits":[]}{"deliveries":[]}"#
}

/// Returns the body of a redemption request.
func redemptionBody(_ proof: [String: String], _ purchases: [TransactionID], product: ProductID? = nil) throws -> String
{
  try json([
    "proof": proof,
    "purchases": purchases.map { id in
      product.map { ["transactionId": id.rawValue, "productId": $0.rawValue] } ?? ["transactionId": id.rawValue]
    },
  ])
}

extension BookStore.Purchase {
  /// The app receipt as the proof of a redemption request.
  var proof: [String: String] { ["appReceipt": appReceipt.base64EncodedString()] }
}

extension TestClientProtocol {
  /// Redeems one purchase by its app receipt.
  func redeem(_ purchase: BookStore.Purchase, token: String?) async throws -> Reply {
    try await post("\(ServerFixture.path)/redemptions", redemptionBody(purchase.proof, [purchase.id]), token: token)
  }
}
