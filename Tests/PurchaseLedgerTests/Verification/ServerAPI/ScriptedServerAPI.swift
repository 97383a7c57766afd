import AppStoreServerAPI
import Crypto
import Foundation
import HTTPTransport
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseLedger

/// A verifier that asks a scripted App Store Server API about purchases of an emulated store.
struct ScriptedServerAPI {
  static let production = URL(string: "http://production.test")!
  static let sandbox = URL(string: "http://sandbox.test")!
  static let account = "704000000000000001"

  let shop: TeaStore
  let sender: ScriptedSender
  let verifier: ProofVerifier
  let policy: VerificationPolicy
  let problems = ReportedProblems()
  let time: SteppingClock

  /// - Parameter answer: answers each request, by its path below `/inApps`.
  init(
    requestLimit: Int = 8, _ change: (inout ServerAPIPolicy) -> Void = { _ in },
    answer: @escaping @Sendable (TeaStore, String, URLComponents) throws -> HTTPReply
  ) async throws {
    let shop = try await TeaStore()
    self.shop = shop
    time = SteppingClock(dates: shop.clock)
    sender = ScriptedSender { try answer(shop, $0, $1) }
    var policy = ServerAPIPolicy(
      key: ServerAPIKey(keyID: "K", issuerID: "I", privateKey: P256.Signing.PrivateKey()),
      productionURL: Self.production, sandboxURL: Self.sandbox)
    change(&policy)
    self.policy = VerificationPolicy(bundleID: TeaStore.app, method: .serverAPI(policy))
    verifier = try ProofVerifier(
      anchors: shop.anchors, policies: [self.policy],
      server: ScriptedReceiptServer([:]), transport: sender, requestLimit: requestLimit, clock: time,
      chance: { $0.lowerBound }, report: problems.add)
  }

  /// A signed transaction of the store.
  ///
  /// - Parameter change: the values that matter to the test.
  static func signed(
    _ id: UInt64 = 7, _ product: ProductID = TeaStore.oolong, _ type: ProductType = .consumable, by shop: TeaStore,
    _ change: (inout SignedTransaction) -> Void = { _ in }
  ) throws -> String {
    let date = shop.clock.now
    let record = TransactionRecord(
      environment: .sandbox, bundleID: TeaStore.app, transactionID: TransactionID(id),
      originalTransactionID: TransactionID(id), productID: product, type: type, purchaseDate: date,
      originalPurchaseDate: date, quantity: 1, price: Milliunits(990), currency: "USD", storefrontCountryCode: "USA",
      storefrontID: "143441", reason: .purchase, appTransactionID: account)
    var transaction = SignedTransaction(record: record, signedDate: date)
    change(&transaction)
    return try shop.store.authority.signTransaction(transaction)
  }

  func refusal(
    of proof: PurchaseProof, from sender: ProofSender = .anonymous, requested: Set<TransactionID> = []
  ) async -> ProofRefusal? {
    do throws(ProofRefusal) {
      _ = try await verifier.verify(proof, for: TeaStore.app, from: sender, requested: requested)
      return nil
    } catch {
      return error
    }
  }
}

/// Sends requests to a function of the test. It records their paths below `/inApps`, with the query.
final class ScriptedSender: HTTPSender {
  private let answer: @Sendable (String, URLComponents) throws -> HTTPReply
  private let state = LockedValue<(paths: [String], gate: Gate?)>(([], nil))

  init(_ answer: @escaping @Sendable (String, URLComponents) throws -> HTTPReply) { self.answer = answer }

  var paths: [String] { state.withLock { $0.paths } }

  /// Holds answers back until the gate is open.
  func wait(for gate: Gate) { state.withLock { $0.gate = gate } }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let components = try #require(URLComponents(url: call.url, resolvingAgainstBaseURL: false))
    let path = String(components.path.dropFirst("/inApps/".count))
    let gate = state.withLock { state in
      state.paths.append(path + (components.query.map { "?\($0)" } ?? ""))
      return state.gate
    }
    await gate?.pass()
    let reply = try answer(path, components)
    try sink.begin(reply.head)
    try sink.take(reply.body)
  }
}

extension HTTPReply {
  static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPReply {
    HTTPReply(
      head: HTTPReplyHead(status: status, fields: ["content-type": "application/json"]),
      body: try JSONEncoder().encode(value))
  }

  static func error(_ code: ServerAPIErrorCode) throws -> HTTPReply {
    let error = ServerAPIError(code)
    return try json(error, status: error.httpStatus)
  }

  static func text(_ text: String, status: Int) -> HTTPReply {
    HTTPReply(head: HTTPReplyHead(status: status), body: Data(text.utf8))
  }

  static func info(_ signed: String) throws -> HTTPReply {
    try json(TransactionInfoResponse(signedTransactionInfo: signed))
  }
}
