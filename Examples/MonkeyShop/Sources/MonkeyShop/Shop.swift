import StoreKit

/// Sells bananas, and counts the bananas that were sold.
public final class Shop: NSObject {
  public private(set) var products: [SKProduct] = []
  public private(set) var invalidIdentifiers: [String] = []
  public var onProducts: () -> Void = {}
  public var onPurchase: (SKPaymentTransaction) -> Void = { _ in }
  public var onFailure: (SKError) -> Void = { _ in }

  private let pantry: Pantry
  private var request: SKProductsRequest?

  public init(pantry: Pantry) {
    self.pantry = pantry
    super.init()
  }

  public var canBuy: Bool { SKPaymentQueue.canMakePayments() }

  public func open() { SKPaymentQueue.default().add(self) }
  public func close() { SKPaymentQueue.default().remove(self) }

  public func loadProducts() {
    let request = SKProductsRequest(productIdentifiers: ["banana", "banana.bunch", "coconut"])
    request.delegate = self
    self.request = request
    request.start()
  }

  public func buy(_ product: SKProduct, quantity: Int = 1, for user: UUID? = nil) {
    let payment = SKMutablePayment(product: product)
    payment.quantity = quantity
    payment.applicationUsername = user?.uuidString
    SKPaymentQueue.default().add(payment)
  }

  public func priceLabel(for product: SKProduct) -> String {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = product.priceLocale
    return formatter.string(from: product.price) ?? ""
  }

  public var receipt: Data? { Bundle.main.appStoreReceiptURL.flatMap { try? Data(contentsOf: $0) } }
}

extension Shop: SKProductsRequestDelegate {
  public func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    products = response.products.sorted { $0.price.compare($1.price) == .orderedAscending }
    invalidIdentifiers = response.invalidProductIdentifiers
    onProducts()
  }
}

extension Shop: SKPaymentTransactionObserver {
  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchasing, .deferred:
        break
      case .purchased:
        pantry.store(transaction.payment.quantity, for: transaction.transactionIdentifier ?? "")
        queue.finishTransaction(transaction)
        onPurchase(transaction)
      case .failed:
        queue.finishTransaction(transaction)
        if let error = transaction.error as? SKError { onFailure(error) }
      case .restored:
        queue.finishTransaction(transaction)
      @unknown default:
        break
      }
    }
  }
}

/// Stores bananas. Several deliveries with the same identifier are counted only once.
public final class Pantry {
  private var deliveries: [String: Int] = [:]

  public init() {}

  public var bananas: Int { deliveries.values.reduce(0, +) }

  public func store(_ count: Int, for delivery: String) {
    if deliveries[delivery] == nil { deliveries[delivery] = count }
  }
}
