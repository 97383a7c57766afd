import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// The backend of the tea app, which calls the App Store Server API in this process.
struct TeaServer {
  let shop: TeaShop
  var environment = StoreEnvironment.sandbox
  let key: ServerAPIKey

  init(_ shop: TeaShop, in environment: StoreEnvironment = .sandbox) async throws {
    self.shop = shop
    self.environment = environment
    let app = try await shop.store.app(TeaShop.app)
    key = try ServerAPIKey(
      keyID: shop.store.authority.apiKeyID(), issuerID: app.issuerID, pem: shop.store.authority.apiKey())
  }

  func token() throws -> String { "Bearer \(try key.token(for: TeaShop.app, at: shop.clock.now).text)" }

  /// Sends a call as its client writes it, and returns its answer.
  @discardableResult
  func send<Call: ServerAPICall>(_ call: Call, authorization: String? = nil) async throws -> Call.Answer {
    try await send(Call.self, try call.request(), authorization: authorization)
  }

  /// Sends a request that need not be valid.
  @discardableResult
  func send<Call: ServerAPICall>(
    _ call: Call.Type, _ request: ServerAPIRequest, authorization: String? = nil
  ) async throws -> Call.Answer {
    let message = BackendRequest(
      environment: environment, parameters: request.parameters,
      query: request.query.map { (name: $0.name, value: $0.value) }, authorization: try authorization ?? token(),
      body: request.body)
    return try await shop.store.answer(ServerAPIRequestEndpoint<Call>(message), for: nil)
  }

  /// The error with which a call is refused; nil if it is not.
  func code(_ call: some ServerAPICall) async throws -> ServerAPIErrorCode? { try await refusal(call)?.error.code }

  func refusal(_ call: some ServerAPICall) async throws -> ServerAPIRefusal? {
    do {
      try await send(call)
      return nil
    } catch let refusal as ServerAPIRefusal {
      return refusal
    }
  }

  /// Reads signed transactions, and checks their signatures.
  func transactions(_ signed: [String]) async throws -> [SignedTransaction] {
    let verifier = SignedDataVerifier(anchors: try shop.store.authority.anchors)
    var transactions: [SignedTransaction] = []
    for jws in signed {
      transactions.append(
        try await verifier.verifyTransaction(
          jws, expecting: Expectation(bundleID: TeaShop.app, environments: [environment])
        ).value)
    }
    return transactions
  }

  func info(_ id: TransactionID) async throws -> SignedTransaction {
    try await transactions([send(GetTransactionInfo(transactionId: id)).signedTransactionInfo])[0]
  }

  /// All pages of a history: the ids and the revision of each page's end.
  func history(
    of id: TransactionID, _ query: TransactionHistoryQuery = TransactionHistoryQuery()
  ) async throws -> [SignedTransaction] {
    var (query, found) = (query, [SignedTransaction]())
    while true {
      let page = try await send(GetTransactionHistory(anyTransactionId: id, query: query))
      found += try await transactions(page.signedTransactions)
      #expect(page.signedTransactions.count <= HistoryResponse.pageSize)
      guard page.hasMore else { return found }
      query.revision = page.revision
    }
  }
}

extension TeaShop {
  /// Buys for a customer outside an app.
  @discardableResult
  func order(
    _ product: ProductID, for account: AccountName = TeaShop.customer, in environment: StoreEnvironment = .sandbox,
    username: String? = nil
  ) async throws -> StoredTransaction {
    try await store.purchase(
      product, of: TeaShop.app, for: account, in: environment, applicationUsername: username)
  }

  func advance(days: Int64) async throws {
    try await store.changeClock(.advance(milliseconds: days * 86_400_000))
  }
}
