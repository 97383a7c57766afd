import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// A charge for a transaction.
package struct ChargeView: APIObject {
  package let transactionId: TransactionID
  package let orderId: String
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let customer: AccountName
  package let productId: ProductID
  package let amount: Milliunits
  package let currency: String
  package let date: StoreDate

  package static let notes: [String: MemberNote] = ["orderId": "The order, as the customer's invoice shows it."]

  package init(_ charge: Charge) {
    orderId = charge.orderID
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
