import Foundation
import OpenStoreKit
import SampleModel
import StoreKit
import StoreModel

// What a person does with purchases in the phone's settings: the calls of StoreKit 2 that Apple's views make.
extension RunningApp {
  /// Reads the customer's purchases. The app may use either StoreKit: both see the same transactions.
  @MainActor
  func refreshPurchases() async {
    var items: [ShownPurchase] = []
    for await result in Transaction.all {
      guard case .verified(let transaction) = result else { continue }
      items.append(
        ShownPurchase(
          transactionID: TransactionID(transaction.id),
          name: SampleCatalog.name(of: transaction.productID) ?? transaction.productID,
          quantity: transaction.purchasedQuantity, date: StoreDate(transaction.purchaseDate),
          isRefunded: transaction.revocationDate != nil))
    }
    purchases.value = items
  }

  @MainActor
  func requestRefund(of transaction: TransactionID) async {
    guard let id = UInt64(transaction.rawValue) else { return club.report(text: "This purchase cannot be refunded.") }
    do {
      if try await device.beginRefundRequest(for: id) == .success {
        club.report(text: "The refund is requested. The App Store decides later.")
      }
    } catch {
      club.report(text: (error as? any LocalizedError)?.errorDescription ?? "\(error)")
    }
    pageChanged()
  }
}
