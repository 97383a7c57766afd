import APIDescription
import AppStoreEmulator
import StoreModel

/// A refund, or its reversal.
package struct RefundView: APIObject {
  package let transactionId: TransactionID
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let customer: AccountName
  package let productId: ProductID
  package let amount: Milliunits
  package let currency: String
  package let date: StoreDate

  package static let notes: [String: MemberNote] = [
    "amount": "In thousandths of the currency's unit; negative for a refund that was reversed."
  ]

  package init(_ refund: Refund) {
    transactionId = refund.transactionID
    bundleId = refund.bundleID
    environment = refund.environment
    customer = refund.account
    productId = refund.productID
    amount = refund.amount
    currency = refund.currency
    date = refund.date
  }
}
