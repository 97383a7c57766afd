import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// A payment that waits for approval.
package struct ApprovalView: APIObject {
  package let installationId: InstallationID
  package let paymentId: PaymentID
  package let productId: ProductID
  package let quantity: Int
  package let applicationUsername: String?
  package let customer: AccountName
  package let total: Milliunits
  package let currency: String
  package let date: StoreDate

  package static let notes: [String: MemberNote] = [
    "total": "The amount that is charged if the payment is approved, in thousandths of the currency's unit.",
    "date": "When the customer confirmed the payment.",
  ]

  package init(_ approval: PendingApproval) {
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

/// The decision on a payment that waits for approval.
package struct ApprovalDecision: APIObject {
  package enum Decision: String, APIValue, CaseIterable {
    case approve, decline
  }

  package let decision: Decision

  package init(decision: Decision) { self.decision = decision }
}

/// The result of a decision.
package struct ApprovalOutcome: APIObject {
  package let transaction: TransactionView?

  package static let notes: [String: MemberNote] = [
    "transaction":
      "The transaction that was charged or is delivered again. Missing if the payment was refused: it was declined, the product is not for sale any more, or the payment method was declined."
  ]

  package init(transaction: TransactionView?) { self.transaction = transaction }
}
