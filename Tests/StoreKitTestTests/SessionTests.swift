import Foundation
import StoreKitTest
import Testing

/// A session, and what most tests need.
struct Session {
  let session: SKTestSession

  init(_ name: String = "Shop") throws {
    session = try SKTestSession(configurationFileNamed: name)
    session.disableDialogs = true
    session.clearTransactions()
  }

  func product(_ id: String) async throws -> Product {
    try #require(try await Product.products(for: [id]).first)
  }

  /// Buys a product in the app, and returns the verified transaction.
  @discardableResult
  func buy(_ id: String, options: Set<Product.PurchaseOption> = []) async throws -> Transaction {
    let result = try await product(id).purchase(options: options)
    guard case .success(.verified(let transaction)) = result else {
      throw UnexpectedResult(text: "\(result)")
    }
    return transaction
  }

  struct UnexpectedResult: Error { let text: String }

  /// The product ids of `Transaction.currentEntitlements`, sorted.
  static func entitled() async -> [String] {
    var ids: [String] = []
    for await result in Transaction.currentEntitlements { ids.append(result.unsafePayloadValue.productID) }
    return ids.sorted()
  }

  /// The status of a subscription of the file's group.
  func state() async throws -> Product.SubscriptionInfo.RenewalState? {
    try await Product.SubscriptionInfo.status(for: "5E5510C0").first?.state
  }
}

/// Expects an error of a session with a code and a description.
func expect(_ code: SKTestError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
  let error = #expect(throws: SKTestError.self, sourceLocation: sourceLocation, performing: body)
  #expect(error?.code == code, sourceLocation: sourceLocation)
  #expect(error?.localizedDescription.isEmpty == false, sourceLocation: sourceLocation)
}

@Suite("SKTestSession: purchases", .isolatedStore, .timeLimit(.minutes(30)))
struct SessionTests {
  let shop: Session
  private var session: SKTestSession { shop.session }

  init() throws { shop = try Session() }

  @Test("T1 A purchase in the app is in the records, the entitlements and the receipt")
  func purchase() async throws {
    let transaction = try await shop.buy("filter")
    #expect(transaction.environment == .xcode)
    #expect(transaction.id == 0)
    #expect(await Session.entitled() == ["filter"])
    await transaction.finish()
    let all = session.allTransactions()
    #expect(all.map(\.identifier) == [0])
    #expect(all.map(\.productIdentifier) == ["filter"])
    #expect(all.map(\.state) == [.purchased])
  }

  @Test("T2 What a session buys is on Transaction.updates, also when the iterator is made later")
  func outside() async throws {
    var updates = Transaction.updates.makeAsyncIterator()
    try session.buyProduct(productIdentifier: "coins")
    #expect(await updates.next()?.unsafePayloadValue.productID == "coins")
    let bought = try await session.buyProduct(identifier: "filter")
    #expect(await updates.next()?.unsafePayloadValue.id == bought.id)
    #expect(await Session.entitled() == ["filter"])
  }

  @Test("T3 A refund leaves the entitlements, and is announced")
  func refund() async throws {
    let transaction = try await shop.buy("filter")
    await transaction.finish()
    var updates = Transaction.updates.makeAsyncIterator()
    try session.refundTransaction(identifier: UInt(transaction.id))
    #expect(session.allTransactions().first?.cancelDate != nil)
    #expect(await Session.entitled().isEmpty)
    let update = await updates.next()
    #expect(update?.unsafePayloadValue.revocationDate != nil)
    expect(.invalidAction) { try session.refundTransaction(identifier: UInt(transaction.id)) }
  }

  @Test("T4 A purchase waits for approval, and arrives when it is approved")
  func approval() async throws {
    session.askToBuyEnabled = true
    var updates = Transaction.updates.makeAsyncIterator()
    let result = try await shop.product("coins").purchase()
    guard case .pending = result else { return #expect(Bool(false), "\(result)") }
    let waiting = try #require(session.allTransactions().first)
    #expect(waiting.pendingAskToBuyConfirmation)
    #expect(waiting.state == .deferred)
    try session.approveAskToBuyTransaction(identifier: waiting.identifier)
    #expect(session.allTransactions().map(\.state) == [.purchased])
    #expect(await updates.next()?.unsafePayloadValue.productID == "coins")
    expect(.noTransactionFound) { try session.approveAskToBuyTransaction(identifier: waiting.identifier) }
  }

  @Test("T5 Cleared transactions are nowhere any more")
  func clear() async throws {
    try await shop.buy("filter")
    try await shop.buy("gold.monthly")
    session.clearTransactions()
    #expect(session.allTransactions().isEmpty)
    #expect(await Session.entitled().isEmpty)
    var all: [UInt64] = []
    for await result in Transaction.all { all.append(result.unsafePayloadValue.id) }
    #expect(all.isEmpty)
    #expect(try await shop.state() == nil)
    let again = try await shop.buy("filter")
    #expect(await Session.entitled() == ["filter"])
    #expect(again.productID == "filter")
  }
}
