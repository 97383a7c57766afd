import StoreKitTest
import Testing

@testable import BookClub

/// The tests as Apple's documentation writes them, with StoreKitTest. On Apple's platforms they are the same, without
/// `.isolatedStore` and one after the other.
@MainActor @Suite("BookClub with SKTestSession", .isolatedStore, .timeLimit(.minutes(5)))
struct SessionTests {
  let session: SKTestSession
  let ledger = CreditLedger()

  init() throws {
    session = try SKTestSession(configurationFileNamed: "BookClub")
    session.resetToDefaultState()
    session.disableDialogs = true
    session.clearTransactions()
  }

  /// Launches the app.
  private func launched() async throws -> Store {
    let store = Store(ledger: ledger)
    try await store.load()
    return store
  }

  private func product(_ id: Product.ID, of store: Store) throws -> Product {
    try #require((store.books + store.credits + store.memberships).first { $0.id == id })
  }

  @Test func purchase() async throws {
    let store = try await launched()
    let novel = try product(Catalog.novel, of: store)
    try await store.purchase(novel)
    #expect(store.isPurchased(novel))
    let transactions = session.allTransactions()
    #expect(transactions.map(\.productIdentifier) == [Catalog.novel])
    #expect(transactions.first?.state == .purchased)
  }

  @Test func purchaseBeforeLaunch() async throws {
    try session.buyProduct(productIdentifier: Catalog.atlas)
    let store = try await launched()
    #expect(store.purchasedBooks == [Catalog.atlas])
  }

  @Test func askToBuy() async throws {
    let store = try await launched()
    session.askToBuyEnabled = true
    #expect(try await store.purchase(product(Catalog.novel, of: store)) == nil)
    let waiting = try #require(session.allTransactions().first { $0.pendingAskToBuyConfirmation })
    try session.approveAskToBuyTransaction(identifier: waiting.identifier)
    await store.updateCustomerProductStatus()
    #expect(store.purchasedBooks == [Catalog.novel])
  }

  @Test func refund() async throws {
    let store = try await launched()
    let transaction = try #require(try await store.purchase(product(Catalog.novel, of: store)))
    try session.refundTransaction(identifier: UInt(transaction.id))
    await store.updateCustomerProductStatus()
    #expect(store.purchasedBooks.isEmpty)
  }

  @Test func renewal() async throws {
    session.timeRate = .monthlyRenewalEveryThirtySeconds
    let store = try await launched()
    try await store.purchase(product(Catalog.reader, of: store))
    try session.testBed.advance(by: .seconds(3 * 30))
    #expect(session.allTransactions().count == 4)
    #expect(store.membership == Catalog.reader)
  }

  @Test func expiry() async throws {
    let store = try await launched()
    try await store.purchase(product(Catalog.reader, of: store))
    try session.expireSubscription(productIdentifier: Catalog.reader)
    await store.updateCustomerProductStatus()
    #expect(store.membership == nil)
    #expect(store.membershipState == .expired)
  }

  @Test func billingRetry() async throws {
    let store = try await launched()
    let transaction = try #require(try await store.purchase(product(Catalog.reader, of: store)))
    session.shouldEnterBillingRetryOnRenewal = true
    try session.forceRenewalOfSubscription(productIdentifier: Catalog.reader)
    await store.updateCustomerProductStatus()
    #expect(store.membershipState == .inBillingRetryPeriod)
    session.shouldEnterBillingRetryOnRenewal = false
    try session.resolveIssueForTransaction(identifier: UInt(transaction.id))
    await store.updateCustomerProductStatus()
    #expect(store.membership == Catalog.reader)
  }

  @Test func unverified() async throws {
    let store = try await launched()
    let novel = try product(Catalog.novel, of: store)
    try await session.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
    await #expect(throws: Store.Failure.failedVerification) { try await store.purchase(novel) }
    #expect(store.purchasedBooks.isEmpty)
  }

  @Test func network() async throws {
    try await session.setSimulatedError(.generic(.networkError(URLError(.timedOut))), forAPI: .loadProducts)
    let store = Store(ledger: ledger)
    await #expect(throws: StoreKitError.self) { try await store.load() }
    try await session.setSimulatedError(nil, forAPI: .loadProducts)
    try await store.load()
    #expect(store.books.count == 2)
  }
}
