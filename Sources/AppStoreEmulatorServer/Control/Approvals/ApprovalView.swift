import AppStoreEmulator
import Foundation
import StoreModel

/// A payment that waits for approval.
struct ApprovalView: Encodable, Sendable {
  let installationId: InstallationID
  let paymentId: PaymentID
  let productId: ProductID
  let quantity: Int
  let applicationUsername: String?
  let customer: AccountName
  /// In thousandths of the currency.
  let total: Milliunits
  let currency: String
  /// UNIX milliseconds.
  let date: StoreDate

  init(_ approval: PendingApproval) {
    installationId = approval.installationID
    paymentId = approval.payment.paymentID
    productId = approval.payment.productID
    quantity = approval.payment.quantity
    applicationUsername = approval.payment.applicationUsername
    customer = approval.account
    total = approval.total.amount
    currency = approval.total.currency
    date = approval.date
  }
}

/// What whoever was asked says.
struct ApprovalDecision: Decodable, Sendable {
  enum Decision: String, Decodable, Sendable, CaseIterable {
    case approve, decline
  }

  let decision: Decision
}

/// What became of a payment that waited.
struct ApprovalOutcome: Encodable, Sendable {
  let transaction: TransactionView?
}
