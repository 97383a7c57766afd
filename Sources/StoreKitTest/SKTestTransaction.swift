import Foundation
import PurchaseTesting
import StoreKit

/// A transaction of the test environment, or an attempt to buy that has none. Implements Apple's `SKTestTransaction`.
///
/// It does not change: ``SKTestSession/allTransactions()`` returns new ones.
open class SKTestTransaction: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open. Its only property is a constant value.
  private let transaction: TestTransaction

  init(_ transaction: TestTransaction) { self.transaction = transaction }

  @available(*, unavailable) public override init() { preconditionFailure("sessions make test transactions") }

  /// The identifier of the transaction that the app receives. Attempts without a transaction have other numbers, above
  /// 9,000,000,000,000,000,000.
  open var identifier: UInt { UInt(transaction.identifier) }
  /// The first transaction of a subscription; otherwise ``identifier``.
  open var originalTransactionIdentifier: UInt { UInt(transaction.originalIdentifier) }
  open var productIdentifier: String { transaction.productID.rawValue }
  /// `.purchased`; for an attempt, `.deferred` while it waits for approval, and otherwise `.failed`.
  open var state: SKPaymentTransactionState { transaction.state }
  open var purchaseDate: Date { transaction.purchaseDate }
  /// The end of the period of a subscription; nil for other products.
  open var expirationDate: Date? { transaction.expirationDate }
  /// The date of the refund; nil if it was not refunded.
  open var cancelDate: Date? { transaction.revocationDate }
  /// Whether the subscription of this transaction renews by itself.
  open var autoRenewingEnabled: Bool { transaction.isAutoRenewOn }
  /// Whether the purchase was interrupted, or the renewal after this period could not be charged.
  open var hasPurchaseIssue: Bool { transaction.hasIssue }
  open var pendingAskToBuyConfirmation: Bool { transaction.waitsForApproval }
  open var isPendingPriceIncreaseConsent: Bool { transaction.waitsForConsent }

  open override var description: String {
    "SKTestTransaction(identifier: \(identifier), productIdentifier: \(productIdentifier), state: \(state))"
  }
}
