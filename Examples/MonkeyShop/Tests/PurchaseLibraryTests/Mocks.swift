import StoreKit

// Mocks of StoreKit's types, as tests of libraries write them: subclasses with their own initializers and overrides.

class MockProduct: SKProduct {
  private let identifier: String
  var mockPrice: Decimal = 2.99
  var mockPeriod: SKProductSubscriptionPeriod?
  lazy var mockDiscount: SKProductDiscount? = nil

  init(_ identifier: String) {
    self.identifier = identifier
    super.init()
  }

  override var productIdentifier: String { return identifier }
  override var localizedTitle: String { "title of \(identifier)" }
  override var localizedDescription: String { "description" }
  override var price: NSDecimalNumber { mockPrice as NSDecimalNumber }
  override var priceLocale: Locale { Locale(identifier: "en_GB@currency=GBP") }
  override var isFamilyShareable: Bool { true }
  override var isDownloadable: Bool { true }
  override var downloadContentLengths: [NSNumber] { [7] }
  override var downloadContentVersion: String { "1.0" }
  override var subscriptionGroupIdentifier: String? { "group" }
  override var subscriptionPeriod: SKProductSubscriptionPeriod? { mockPeriod }
  override var introductoryPrice: SKProductDiscount? { mockDiscount }
  override var discounts: [SKProductDiscount] { [mockDiscount].compactMap { $0 } }
}

final class MockPeriod: SKProductSubscriptionPeriod {
  private let units: (Int, SKProduct.PeriodUnit)

  init(_ count: Int, _ unit: SKProduct.PeriodUnit) { units = (count, unit) }

  override var numberOfUnits: Int { units.0 }
  override var unit: SKProduct.PeriodUnit { units.1 }
}

final class MockDiscount: SKProductDiscount {
  override var identifier: String? { "winter" }
  override var price: NSDecimalNumber { 0.99 }
  override var priceLocale: Locale { Locale(identifier: "en_GB@currency=GBP") }
  override var subscriptionPeriod: SKProductSubscriptionPeriod { MockPeriod(1, .week) }
  override var numberOfPeriods: Int { 3 }
  override var paymentMode: SKProductDiscount.PaymentMode { .payUpFront }
  override var type: SKProductDiscount.`Type` { .subscription }
}

final class MockPaymentDiscount: SKPaymentDiscount {
  override var identifier: String { "winter" }
  override var signature: String { "signature" }
}

class MockPayment: SKPayment {
  var mockIdentifier: String?
  override var productIdentifier: String { mockIdentifier ?? super.productIdentifier }
  override var quantity: Int { 3 }
  override var applicationUsername: String? { "somebody" }
  override var paymentDiscount: SKPaymentDiscount? { MockPaymentDiscount() }
}

class MockTransaction: SKPaymentTransaction {
  var mockPayment: SKPayment = SKPayment()
  override var payment: SKPayment { mockPayment }

  var mockState = SKPaymentTransactionState.purchasing
  override var transactionState: SKPaymentTransactionState { mockState }

  var mockError: Error?
  override var error: Error? { mockError }

  var mockOriginal: SKPaymentTransaction?
  override var original: SKPaymentTransaction? { mockOriginal }

  override var transactionIdentifier: String? { mockState == .purchased ? "1000" : nil }
  override var transactionDate: Date? { mockState == .purchased ? Date(timeIntervalSince1970: 1) : nil }
  override var transactionReceipt: Data? { Data("receipt".utf8) }

  var mockDownloads: [SKDownload] = []
  override var downloads: [SKDownload] { mockDownloads }

  override var debugDescription: String { "\(payment.productIdentifier), \(transactionState.debugDescription)" }
}

final class MockDownload: SKDownload {
  var mockState = SKDownloadState.active
  override var state: SKDownloadState { mockState }
  override var progress: Float { 0.5 }
  override var contentURL: URL? { URL(fileURLWithPath: "/content") }
  override var contentIdentifier: String { "content" }
  override var expectedContentLength: Int64 { 7 }
  override var timeRemaining: TimeInterval { 3 }
  override var error: Error? { nil }
  override var transaction: SKPaymentTransaction { MockTransaction() }
}

final class MockStorefront: SKStorefront {
  override var countryCode: String { "GBR" }
  override var identifier: String { "143444" }
}

class MockQueue: SKPaymentQueue {
  private(set) var added: [SKPayment] = []
  private(set) var finished: [SKPaymentTransaction] = []
  private(set) var restores: [String?] = []
  private(set) var started: [SKDownload] = []
  var mockObservers: [SKPaymentTransactionObserver] = []

  internal override init() { super.init() }

  override class func canMakePayments() -> Bool { false }
  override func add(_ payment: SKPayment) { added.append(payment) }
  override func add(_ observer: SKPaymentTransactionObserver) { mockObservers.append(observer) }
  override func remove(_ observer: SKPaymentTransactionObserver) { mockObservers.removeAll { $0 === observer } }
  override func finishTransaction(_ transaction: SKPaymentTransaction) { finished.append(transaction) }
  override func restoreCompletedTransactions() { restores.append(nil) }
  override func restoreCompletedTransactions(withApplicationUsername username: String?) { restores.append(username) }
  override func start(_ downloads: [SKDownload]) { started += downloads }
  override func pause(_ downloads: [SKDownload]) {}
  override func resume(_ downloads: [SKDownload]) {}
  override func cancel(_ downloads: [SKDownload]) {}
  override func showPriceConsentIfNeeded() {}
  override func presentCodeRedemptionSheet() {}
  override var storefront: SKStorefront? { MockStorefront() }
  override var transactions: [SKPaymentTransaction] { [] }
  override var transactionObservers: [SKPaymentTransactionObserver] { mockObservers }

  private weak var mockDelegate: SKPaymentQueueDelegate?
  override weak var delegate: SKPaymentQueueDelegate? {
    get { mockDelegate }
    set { mockDelegate = newValue }
  }
}

/// A subclass with its own properties and initializer, and its own `default()`.
final class OwnQueue: SKPaymentQueue {
  let name: String

  init(name: String) {
    self.name = name
    super.init()
  }

  private static let shared = OwnQueue(name: "shared")
  override class func `default`() -> Self { unsafeDowncast(shared, to: self) }
}

final class MockProductsResponse: SKProductsResponse {
  private let identifiers: Set<String>

  init(productIdentifiers: Set<String>) {
    identifiers = productIdentifiers
    super.init()
  }

  override var products: [SKProduct] { identifiers.sorted().map { MockProduct($0) } }
  override var invalidProductIdentifiers: [String] { ["none"] }
}

class MockProductsRequest: SKProductsRequest {
  var startCalled = false
  var cancelCalled = false
  var failure: Error?
  let requested: Set<String>

  override init(productIdentifiers: Set<String>) {
    requested = productIdentifiers
    super.init(productIdentifiers: productIdentifiers)
  }

  override func start() {
    startCalled = true
    DispatchQueue.main.async {
      if let failure = self.failure {
        self.delegate?.request!(self, didFailWithError: failure)
      } else {
        self.delegate?.productsRequest(self, didReceive: MockProductsResponse(productIdentifiers: self.requested))
        self.delegate?.requestDidFinish?(self)
      }
    }
  }

  override func cancel() { cancelCalled = true }
}

final class ObservedProductsRequest: SKProductsRequest {
  var changes = 0
  override weak var delegate: SKProductsRequestDelegate? {
    didSet { changes += 1 }
  }

  override init() { super.init() }
}

class MockReceiptRequest: SKReceiptRefreshRequest {
  var failure: Error?

  init(failure: Error?) {
    self.failure = failure
    super.init()
  }

  override init(receiptProperties properties: [String: Any]?) { super.init(receiptProperties: properties) }

  override func start() {
    DispatchQueue.main.async {
      if let failure = self.failure {
        self.delegate?.request?(self, didFailWithError: failure)
      } else {
        self.delegate?.requestDidFinish!(self)
      }
    }
  }
}

final class MockPromotionController: SKProductStorePromotionController {
  var order: [SKProduct] = []

  override func update(storePromotionOrder promotionOrder: [SKProduct], completionHandler: ((Error?) -> Void)? = nil) {
    order = promotionOrder
    completionHandler?(nil)
  }

  override func promotionOrder() async throws -> [SKProduct] { order }
}
