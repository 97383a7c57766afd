// swift-format-ignore-file
import StoreKit

// Code of an app as it was written for iOS, line by line. It imports StoreKit alone.

extension NSNotification.Name {
  static let InAppPurchaseManagerProductsFetched = NSNotification.Name("InAppPurchaseManagerProductsFetchedNotification")
  static let InAppPurchaseManagerTransactionFailed = NSNotification.Name(
    "InAppPurchaseManagerTransactionFailedNotification")
  static let InAppPurchaseManagerTransactionSucceeded = NSNotification.Name(
    "InAppPurchaseManagerTransactionSucceededNotification")
  static let InAppPurchaseManagerRequestFailed = NSNotification.Name("InAppPurchaseManagerRequestFailedNotification")
}

class InAppPurchaseManager: NSObject, SKProductsRequestDelegate {
  static let fiveCreditsId = "coins"
  static let filterId = "filter"

  var productsRequest: SKProductsRequest!
  var theObserver: CustomPaymentObserver!

  override init() {
    super.init()
    theObserver = CustomPaymentObserver(self)
    SKPaymentQueue.default().add(theObserver)
  }

  // Verify that the iTunes account can make this purchase.
  func canMakePayments() -> Bool {
    return SKPaymentQueue.canMakePayments()
  }

  // Request multiple products at once.
  func requestProductData(_ productIds: [String]) {
    productsRequest = SKProductsRequest(productIdentifiers: Set(productIds))
    productsRequest.delegate = self
    productsRequest.start()
  }

  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    let products = response.products
    var userInfo: [String: Any] = [:]
    for product in products {
      userInfo[product.productIdentifier] = product
    }
    NotificationCenter.default.post(name: .InAppPurchaseManagerProductsFetched, object: self, userInfo: userInfo)
    for invalidProductId in response.invalidProductIdentifiers {
      print("Invalid product id: \(invalidProductId)")
    }
  }

  func request(_ request: SKRequest, didFailWithError error: Error) {
    print(" ** InAppPurchaseManager request failed: \(error.localizedDescription)")
    NotificationCenter.default.post(name: .InAppPurchaseManagerRequestFailed, object: self, userInfo: ["error": error])
  }

  func purchaseProduct(_ appStoreProductId: String) {
    let payment = SKMutablePayment()
    payment.productIdentifier = appStoreProductId
    SKPaymentQueue.default().add(payment)
  }

  func completeTransaction(_ transaction: SKPaymentTransaction) {
    let productId = transaction.payment.productIdentifier
    if productId == InAppPurchaseManager.filterId {
      PhotoFilterManager.purchase(productId)
    } else {
      CreditManager.add(5)
    }
    finishTransaction(transaction, true)
  }

  func restoreTransaction(_ transaction: SKPaymentTransaction) {
    let productId = transaction.original!.payment.productIdentifier
    PhotoFilterManager.purchase(productId)
    finishTransaction(transaction, true)
  }

  func failedTransaction(_ transaction: SKPaymentTransaction) {
    if (transaction.error! as NSError).code == SKError.paymentCancelled.rawValue {
      print("User CANCELLED FailedTransaction")
    } else {
      print("FailedTransaction Code=\((transaction.error! as NSError).code) \(transaction.error!.localizedDescription)")
    }
    finishTransaction(transaction, false)
  }

  func finishTransaction(_ transaction: SKPaymentTransaction, _ wasSuccessful: Bool) {
    SKPaymentQueue.default().finishTransaction(transaction)
    let userInfo: [String: Any] = ["transaction": transaction]
    if wasSuccessful {
      NotificationCenter.default.post(
        name: .InAppPurchaseManagerTransactionSucceeded, object: self, userInfo: userInfo)
    } else {
      NotificationCenter.default.post(name: .InAppPurchaseManagerTransactionFailed, object: self, userInfo: userInfo)
    }
  }

  func restore() {
    SKPaymentQueue.default().restoreCompletedTransactions()
  }
}

class CustomPaymentObserver: NSObject, SKPaymentTransactionObserver {
  private weak var theManager: InAppPurchaseManager!

  init(_ manager: InAppPurchaseManager) {
    theManager = manager
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchased:
        theManager.completeTransaction(transaction)
      case .failed:
        theManager.failedTransaction(transaction)
      case .restored:
        theManager.restoreTransaction(transaction)
      default:
        break
      }
    }
  }

  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: Error) {
    print(" ** RestoreCompletedTransactionsFailedWithError \(error.localizedDescription)")
    NotificationCenter.default.post(name: .InAppPurchaseManagerRequestFailed, object: theManager, userInfo: ["error": error])
  }

  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    print(" ** RestoreCompletedTransactionsFinished")
  }
}

class CreditManager {
  nonisolated(unsafe) static var balance = 0

  static func add(_ numberOfCredits: Int) {
    balance = balance + numberOfCredits
  }
}

class PhotoFilterManager {
  nonisolated(unsafe) static var purchased: Set<String> = []

  static func purchase(_ productId: String) {
    purchased.insert(productId)
  }
}
