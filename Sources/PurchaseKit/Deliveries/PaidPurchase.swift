import Foundation
import StoreModel

/// A paid purchase, with the properties of its transaction.
public struct PaidPurchase: Hashable, Sendable {
  /// The id of the transaction. See also ``grantIdentifier``.
  public let transactionIdentifier: String
  /// The id of the original transaction, under which an entitlement is stored. If StoreKit gives no original transaction, as
  /// for each purchase of a consumable, it is the id of this transaction.
  public let originalTransactionIdentifier: String
  public let productIdentifier: String
  /// At least 1.
  public let quantity: Int
  /// The date of the original transaction, if StoreKit gives one, as for restored purchases and renewals. Otherwise the date
  /// of this transaction.
  public let date: Date
  /// Whether the purchase was restored.
  public let isRestored: Bool
  /// The transaction's own receipt, in the format that is older than the app receipt; nil if the store made none.
  public let legacyReceipt: Data?
  /// The refunded share of a consumable's price, in thousandths of a percent: 1 to 99,999. Nil if nothing was refunded
  /// before the delivery, and on Apple's platforms, where StoreKit 1 does not report it.
  public let revocationPercentage: Int?
  /// The transaction as a compact JWS, which proves the purchase to a server. Nil with StoreKit 1.
  public let signedTransaction: String?

  /// - Parameter originalTransactionIdentifier: nil if StoreKit gives no original transaction.
  public init(
    transactionIdentifier: String, originalTransactionIdentifier: String? = nil, productIdentifier: String,
    quantity: Int, date: Date, isRestored: Bool = false, legacyReceipt: Data? = nil,
    revocationPercentage: Int? = nil, signedTransaction: String? = nil
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.originalTransactionIdentifier = originalTransactionIdentifier ?? transactionIdentifier
    self.productIdentifier = productIdentifier
    self.quantity = quantity
    self.date = date
    self.isRestored = isRestored
    self.legacyReceipt = legacyReceipt
    self.revocationPercentage = revocationPercentage
    self.signedTransaction = signedTransaction
  }

  /// The key under which a consumable is granted once. Consumables are not restored; if one is restored even so, it was
  /// granted under the original transaction's id.
  public var grantIdentifier: String { isRestored ? originalTransactionIdentifier : transactionIdentifier }

  /// Returns the signed transaction as a proof for the developer's server; with StoreKit 1, the proof that `make` returns.
  func proof(orElse make: () async throws -> StoreProof) async rethrows -> StoreProof {
    if let signedTransaction { return .signedTransaction(signedTransaction) }
    return try await make()
  }

  /// Returns the part of `amount` that was not refunded. The refunded part is rounded down, so the customer keeps the
  /// fraction. The purchase server rounds in the same way.
  public func remaining(of amount: Int) -> Int {
    guard let revocationPercentage else { return amount }
    let share = min(max(revocationPercentage, 0), Percentage.whole)
    return amount - Int(Percentage.share(share, of: Int64(amount)))
  }
}
