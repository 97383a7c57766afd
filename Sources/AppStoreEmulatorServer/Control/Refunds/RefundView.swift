import AppStoreEmulator
import StoreModel

/// Money given back, or taken again.
struct RefundView: Encodable, Sendable {
  let transactionId: TransactionID
  let bundleId: BundleID
  let environment: StoreEnvironment
  let customer: AccountName
  let productId: ProductID
  /// In thousandths of the currency; negative for a refund that was taken back.
  let amount: Milliunits
  let currency: String
  /// UNIX milliseconds.
  let date: StoreDate

  init(_ refund: Refund) {
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
