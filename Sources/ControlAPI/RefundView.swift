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

package struct RefundRequest: APIObject {
  package let reason: RevocationReason?
  package let percentage: Int?

  package static let notes: [String: MemberNote] = [
    "reason": .init("1: an issue with the app; 0: another reason.", defaultValue: .integer(0)),
    "percentage": .init(
      "The share of the price, in thousandths of a percent.", minimum: 1, maximum: 100_000,
      defaultValue: .integer(100_000)),
  ]

  package init(reason: RevocationReason? = nil, percentage: Int? = nil) {
    self.reason = reason
    self.percentage = percentage
  }
}
