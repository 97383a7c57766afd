import Foundation
import PurchaseTesting
import StoreKitTest
import Testing

@Suite("SKTestSession: settings and simulated errors", .isolatedStore, .timeLimit(.minutes(30)))
struct SettingTests {
  let shop: Session
  private var session: SKTestSession { shop.session }

  init() throws { shop = try Session() }

  @Test("T13 The storefront decides on the currency, and is announced")
  func storefront() async throws {
    #expect(session.storefront == "USA")
    #expect(await Storefront.current?.countryCode == "USA")
    var storefronts = Storefront.updates.makeAsyncIterator()
    session.storefront = "DEU"
    #expect(session.storefront == "DEU")
    #expect(await storefronts.next()?.countryCode == "DEU")
    #expect(await Storefront.current?.countryCode == "DEU")
    #expect(SKPaymentQueue.default().storefront?.countryCode == "DEU")
    #expect(try await shop.product("coins").displayPrice.contains("€"))
    session.storefront = "???"
    #expect(session.storefront == "DEU")
    session.resetToDefaultState()
    #expect(session.storefront == "USA")
    #expect(await Storefront.current?.countryCode == "USA")
  }

  @Test("T13 The locale decides on the texts of products")
  func locale() async throws {
    #expect(try await shop.product("coins").displayName == "100 coins")
    session.locale = Locale(identifier: "de_DE")
    #expect(session.locale.identifier == "de_DE")
    #expect(try await shop.product("coins").displayName == "100 Münzen")
    session.resetToDefaultState()
    #expect(try await shop.product("coins").displayName == "100 coins")
  }

  @Test("T4 A declined purchase stays away")
  func declined() async throws {
    session.askToBuyEnabled = true
    guard case .pending = try await shop.product("coins").purchase() else { return #expect(Bool(false)) }
    let waiting = try #require(session.allTransactions().first)
    try session.declineAskToBuyTransaction(identifier: waiting.identifier)
    #expect(session.allTransactions().map(\.state) == [.failed])
    #expect(session.allTransactions().map(\.pendingAskToBuyConfirmation) == [false])
    #expect(await Transaction.unfinished.first { _ in true } == nil)
  }

  @Test("T14 An interrupted purchase is pending, and is made when the issue is resolved")
  func interrupted() async throws {
    var updates = Transaction.updates.makeAsyncIterator()
    session.interruptedPurchasesEnabled = true
    guard case .pending = try await shop.product("coins").purchase() else { return #expect(Bool(false)) }
    let attempt = try #require(session.allTransactions().first)
    #expect(attempt.hasPurchaseIssue)
    #expect(attempt.state == .failed)
    session.interruptedPurchasesEnabled = false
    #expect(session.allTransactions().map(\.state) == [.failed])
    try session.resolveIssueForTransaction(identifier: attempt.identifier)
    #expect(await updates.next()?.unsafePayloadValue.productID == "coins")
    #expect(session.allTransactions().map(\.state) == [.purchased])
    expect(.noTransactionFound) { try session.resolveIssueForTransaction(identifier: attempt.identifier) }
  }

  @Test(
    "T15 Purchases fail with the chosen error, in both StoreKits",
    arguments: [
      SKError.Code.unknown, .invalidOfferIdentifier, .invalidSignature, .missingOfferParams, .invalidOfferPrice,
    ])
  func failing(_ code: SKError.Code) async throws {
    session.failureError = code
    session.failTransactionsEnabled = true
    #expect(session.failureError == code)
    let error = await #expect(throws: (any Error).self) { try await shop.buy("coins") }
    switch code {
    case .invalidOfferIdentifier: #expect(error as? Product.PurchaseError == .invalidOfferIdentifier)
    case .invalidSignature: #expect(error as? Product.PurchaseError == .invalidOfferSignature)
    case .missingOfferParams: #expect(error as? Product.PurchaseError == .missingOfferParameters)
    case .invalidOfferPrice: #expect(error as? Product.PurchaseError == .invalidOfferPrice)
    default:
      guard case StoreKitError.unknown? = error as? StoreKitError else {
        return #expect(Bool(false), "\(error as Any)")
      }
    }
    let observer = FailureObserver()
    SKPaymentQueue.default().add(observer)
    let payment = SKMutablePayment()
    payment.productIdentifier = "coins"
    SKPaymentQueue.default().add(payment)
    #expect(await observer.failure()?.code == code)
    #expect(session.allTransactions().map(\.state) == [.failed, .failed])
    session.failTransactionsEnabled = false
    try await shop.buy("coins")
    _ = observer
  }

  @Test("T16 Each kind of call fails with the simulated error, until it is taken back")
  func simulatedErrors() async throws {
    let product = try await shop.product("coins")
    let network = StoreKitError.networkError(URLError(.badURL))
    try await session.setSimulatedError(.generic(network), forAPI: .loadProducts)
    #expect(await session.simulatedError(forAPI: .loadProducts) == .generic(.networkError(URLError(.badURL))))
    #expect(await session.simulatedError(forAPI: .loadProducts) != .generic(.networkError(URLError(.timedOut))))
    await #expect(throws: StoreKitError.self) { try await Product.products(for: ["coins"]) }
    try await session.setSimulatedError(nil, forAPI: .loadProducts)
    #expect(await session.simulatedError(forAPI: .loadProducts) == nil)
    _ = try await shop.product("coins")

    try await session.setSimulatedError(.purchase(.purchaseNotAllowed), forAPI: .purchase)
    await #expect(throws: Product.PurchaseError.purchaseNotAllowed) { try await product.purchase() }
    try await session.setSimulatedError(.generic(.userCancelled), forAPI: .purchase)
    let error = await #expect(throws: StoreKitError.self) { try await product.purchase() }
    guard case .userCancelled? = error else { return #expect(Bool(false)) }
    try await session.setSimulatedError(nil, forAPI: .purchase)

    try await session.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
    #expect(await session.simulatedError(forAPI: .verification) == .verification(.invalidSignature))
    guard case .success(.unverified(let transaction, .invalidSignature)) = try await product.purchase() else {
      return #expect(Bool(false))
    }
    try await session.setSimulatedError(nil, forAPI: .verification)
    guard case .verified? = await Transaction.unfinished.first(where: { _ in true }) else {
      return #expect(Bool(false))
    }
    await transaction.finish()

    try await session.setSimulatedError(.generic(.unknown), forAPI: .appStoreSync)
    await #expect(throws: StoreKitError.self) { try await AppStore.sync() }
    try await session.setSimulatedError(.generic(.unknown), forAPI: .subscriptionStatus)
    await #expect(throws: StoreKitError.self) { try await shop.state() }
    try await session.setSimulatedError(.generic(.unknown), forAPI: .appTransaction)
    await #expect(throws: StoreKitError.self) { try await AppTransaction.shared }
    let device = session.testBed.device.storeKit
    try await session.setSimulatedError(.generic(.unknown), forAPI: .manageSubscriptions)
    await #expect(throws: StoreKitError.self) { try await device.subscriptions() }
    try await session.setSimulatedError(.refundRequest(.duplicateRequest), forAPI: .refundRequest)
    await #expect(throws: Transaction.RefundRequestError.duplicateRequest) {
      try await device.beginRefundRequest(for: transaction.id)
    }
    try await session.setSimulatedError(.generic(.unknown), forAPI: .offerCodeRedeem)
    await #expect(throws: StoreKitError.self) { try await device.redeemOfferCode("WELCOME", among: ["gold.monthly"]) }
    session.resetToDefaultState()
    try await AppStore.sync()
    #expect(try await AppTransaction.shared.payloadValue.environment == .xcode)
  }

  @Test("T17 The switches and simulated errors of a file hold, until a test changes them")
  func file() async throws {
    let text = try String(contentsOf: ConfigurationFileOfTest.url, encoding: .utf8)
      .replacing(
        #""_timeRate" : 0, "_storefront" : "USA", "_locale" : "en_US""#,
        with: #"""
          "_timeRate" : 15, "_storefront" : "DEU", "_locale" : "de", "_askToBuyEnabled" : true,
          "_billingIssuesEnabled" : true, "_renewalBillingIssuesEnabled" : true, "_billingGracePeriodEnabled" : true,
          "_disableDialogs" : true, "_failTransactionsEnabled" : true, "_storeKitError" : 12,
          "_storeKitErrors" : [
            { "name" : "Load Products", "enabled" : true, "current" : { "type" : "generic", "index" : 2 } },
            { "name" : "Verification", "enabled" : true, "current" : { "type" : "verification", "index" : 0 } },
            { "name" : "Purchase", "enabled" : false, "current" : { "type" : "purchase", "index" : 1 } } ]
          """#)
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).storekit")
    try Data(text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try SKTestSession(contentsOf: url)
    #expect(session.timeRate == .monthlyRenewalEveryThirtySeconds)
    #expect(session.storefront == "DEU")
    #expect(session.locale.identifier == "de")
    #expect(session.askToBuyEnabled && session.interruptedPurchasesEnabled && session.disableDialogs)
    #expect(session.shouldEnterBillingRetryOnRenewal && session.billingGracePeriodIsEnabled)
    #expect(session.failTransactionsEnabled && session.failureError == .invalidSignature)
    let error = await session.simulatedError(forAPI: .loadProducts)
    guard case .generic(.networkError)? = error else { return #expect(Bool(false)) }
    #expect(await session.simulatedError(forAPI: .verification) == .verification(.invalidCertificateChain))
    #expect(await session.simulatedError(forAPI: .purchase) == nil)
    session.askToBuyEnabled = false
    try await session.setSimulatedError(nil, forAPI: .loadProducts)
    session.resetToDefaultState()
    #expect(session.askToBuyEnabled)
    #expect(await session.simulatedError(forAPI: .loadProducts) != nil)
  }

  @Test("T18 All sessions of a test share its store; the newest one's file and settings hold")
  func severalSessions() async throws {
    try await shop.buy("filter")
    session.storefront = "DEU"
    let second = try SKTestSession(configurationFileNamed: "Shop")
    #expect(second.allTransactions().map(\.productIdentifier) == ["filter"])
    #expect(second.storefront == "USA")
    #expect(session.storefront == "USA")
    session.askToBuyEnabled = true
    #expect(second.askToBuyEnabled)
    #expect(await Session.entitled() == ["filter"])
  }

  @Test("T19 A session signs as the sandbox if a test wants that")
  func sandbox() async throws {
    let session = try SKTestSession(contentsOf: ConfigurationFileOfTest.url, environment: .sandbox)
    let transaction = try await shop.buy("filter")
    #expect(transaction.environment == .sandbox)
    #expect(transaction.id > 1_000_000_000)
    #expect(session.allTransactions().map(\.identifier) == [UInt(transaction.id)])
    try session.refundTransaction(identifier: UInt(transaction.id))
    #expect(await Session.entitled().isEmpty)
    expect(.invalidAction) { _ = try SKTestSession(contentsOf: ConfigurationFileOfTest.url, environment: .production) }
  }
}

/// Waits for a failed transaction of StoreKit 1.
private final class FailureObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  private let failures = AsyncStream.makeStream(of: SKError?.self)

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions where transaction.transactionState == .failed {
      failures.continuation.yield(transaction.error as? SKError)
      queue.finishTransaction(transaction)
    }
  }

  func failure() async -> SKError? { await failures.stream.first { _ in true } ?? nil }
}
