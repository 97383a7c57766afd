// swift-format-ignore-file
import StoreKit

// The screen of an app as it was written for iOS, without its views. It imports StoreKit alone.

class ConsumableViewController: NSObject {
  var buttonTitle = "loading..."
  var isButtonEnabled = false
  var alert: String?

  let products = [InAppPurchaseManager.fiveCreditsId, InAppPurchaseManager.filterId]
  let iap: InAppPurchaseManager
  var priceObserver: NSObjectProtocol!
  var succeededObserver: NSObjectProtocol!
  var failedObserver: NSObjectProtocol!
  var requestObserver: NSObjectProtocol!

  init(_ iap: InAppPurchaseManager) {
    self.iap = iap
  }

  func viewWillAppear() {
    nonisolated(unsafe) let this = self
    priceObserver = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerProductsFetched, object: nil, queue: nil
    ) { notification in
      if let product = notification.userInfo?[InAppPurchaseManager.fiveCreditsId] as? SKProduct {
        this.isButtonEnabled = true
        this.buttonTitle = "Buy \(product.localizedPrice)"
      }
    }
    if iap.canMakePayments() {
      iap.requestProductData(products)
    } else {
      buttonTitle = "AppStore disabled"
    }
    succeededObserver = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerTransactionSucceeded, object: nil, queue: nil
    ) { _ in
      this.alert = nil
    }
    failedObserver = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerTransactionFailed, object: nil, queue: nil
    ) { notification in
      let transaction = notification.userInfo!["transaction"] as! SKPaymentTransaction
      let error = transaction.error as NSError?
      this.alert = "\(error!.domain) \(error!.code)"
    }
    requestObserver = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerRequestFailed, object: nil, queue: nil
    ) { notification in
      let error = notification.userInfo!["error"] as! NSError
      this.alert = "\(error.domain) \(error.code)"
      this.buttonTitle = "Network down?"
    }
  }

  func viewWillDisappear() {
    NotificationCenter.default.removeObserver(priceObserver!)
    NotificationCenter.default.removeObserver(succeededObserver!)
    NotificationCenter.default.removeObserver(failedObserver!)
    NotificationCenter.default.removeObserver(requestObserver!)
  }
}

extension SKProduct {
  var localizedPrice: String {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = priceLocale
    return formatter.string(from: price)!
  }
}
