import AppStoreEmulator
import Foundation
import StoreModel

/// One charge.
struct ChargeView: Encodable, Sendable {
  let transactionId: TransactionID
  let bundleId: BundleID
  let environment: StoreEnvironment
  let customer: AccountName
  let productId: ProductID
  /// In thousandths of the currency.
  let amount: Milliunits
  let currency: String
  /// UNIX milliseconds.
  let date: StoreDate

  init(_ charge: Charge) {
    transactionId = charge.transactionID
    bundleId = charge.bundleID
    environment = charge.environment
    customer = charge.account
    productId = charge.productID
    amount = charge.amount
    currency = charge.currency
    date = charge.date
  }
}
