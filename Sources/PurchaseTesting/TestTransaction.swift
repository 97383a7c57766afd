import AppStoreEmulator
import Foundation
import OpenStoreKit
import StoreModel

/// A transaction of a test session's store, or a payment that has none: one that waits for approval, was interrupted, or has
/// failed.
public struct TestTransaction: Hashable, Sendable {
  /// For a transaction, its `transactionIdentifier`. For a payment, ``attempts`` plus its number: the store gives it an
  /// identifier of a transaction only with its transaction.
  public let identifier: UInt64
  /// For the first period of a subscription and all other purchases, ``identifier``.
  public let originalIdentifier: UInt64
  public let productID: ProductID
  /// `.purchased`; for payments `.deferred` (Ask to Buy) or `.failed`.
  public let state: SKPaymentTransactionState
  public let purchaseDate: Date
  /// The end of a subscription's period; nil for other products.
  public private(set) var expirationDate: Date?
  /// The date of the refund or revocation.
  public private(set) var revocationDate: Date?
  /// Whether the subscription of the transaction renews by itself.
  public private(set) var isAutoRenewOn = false
  /// Whether the purchase was interrupted, or the renewal after this period could not be charged.
  public private(set) var hasIssue = false
  public private(set) var waitsForApproval = false
  /// Whether the subscription of the transaction waits for the consent to a price increase, and would renew with it.
  public private(set) var waitsForConsent = false

  /// The identifiers of payments without a transaction are larger than this number, those of transactions smaller.
  public static let attempts: UInt64 = 9_000_000_000_000_000_000

  static func identifier(_ attempt: PaymentAttempt) -> UInt64 { attempts + UInt64(attempt.number) }

  init(_ attempt: PaymentAttempt) {
    identifier = Self.identifier(attempt)
    originalIdentifier = identifier
    productID = attempt.payment.productID
    purchaseDate = attempt.date.date
    switch attempt.state {
    case .waitsForApproval: (state, waitsForApproval) = (.deferred, true)
    case .interrupted: (state, hasIssue) = (.failed, true)
    case .refused: state = .failed
    }
  }

  /// - Parameter subscription: the subscription of the transaction; nil if it is of none.
  init(_ stored: StoredTransaction, subscription: RenewalRecord?) {
    let record = stored.record
    // Ids of the emulator always fit into 64 bits.
    identifier = record.transactionID.number ?? 0
    originalIdentifier = record.originalTransactionID.number ?? 0
    productID = record.productID
    state = .purchased
    purchaseDate = record.purchaseDate.date
    expirationDate = record.expiresDate?.date
    revocationDate = record.revocationDate?.date
    guard let subscription else { return }
    isAutoRenewOn = subscription.isAutoRenewOn
    guard subscription.currentTransactionID == record.transactionID else { return }
    hasIssue = subscription.state == .gracePeriod || subscription.state == .billingRetry
    waitsForConsent = subscription.needsPriceConsent && subscription.isAutoRenewOn
  }
}
