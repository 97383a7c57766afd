import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// A charge for a transaction.
package struct ChargeView: APIObject {
  package let transactionId: TransactionID
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let customer: AccountName
  package let productId: ProductID
  package let amount: Milliunits
  package let currency: String
  package let date: StoreDate

  package init(_ charge: Charge) {
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
