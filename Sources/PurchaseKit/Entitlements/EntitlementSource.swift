import Foundation
import SignedData
import StoreModel

/// What proves the customer's entitlements: the app receipt (``ReceiptReader``), or the signed transactions
/// (``TransactionReader``).
public protocol EntitlementSource: Sendable {
  /// Returns the proven entitlements.
  ///
  /// - Throws: ``ReceiptError`` if there is no proof, or if it is not genuine.
  func entitlements() async throws(ReceiptError) -> ProvenEntitlements

  /// Returns proven entitlements for the delivery of a purchase. They may be older than the call if they include the
  /// purchase's signed transaction, so that the delivery of many renewals does not read all of them each time.
  ///
  /// The default implementation returns ``entitlements()``.
  ///
  /// - Throws: ``ReceiptError``, as ``entitlements()``.
  func entitlements(including purchase: PaidPurchase) async throws(ReceiptError) -> ProvenEntitlements
}

extension EntitlementSource {
  public func entitlements(including purchase: PaidPurchase) async throws(ReceiptError) -> ProvenEntitlements {
    try await entitlements()
  }

  func result() async -> Result<ProvenEntitlements, ReceiptError> {
    do { return .success(try await entitlements()) } catch { return .failure(error) }
  }
}

/// Entitlements with a proof, one for each original transaction.
public struct ProvenEntitlements: Hashable, Sendable {
  public let entitlements: [Entitlement]
  /// The date of the proof.
  public let asOf: Date

  package init(entitlements: [Entitlement], asOf: Date) {
    self.entitlements = entitlements
    self.asOf = asOf
  }
}

extension ProvenEntitlements {
  public init(_ receipt: Verified<AppReceipt>) {
    self.init(entitlements: receipt.entitlements, asOf: receipt.value.creationDate.date)
  }
}

extension ReceiptReader: EntitlementSource {
  public func entitlements() async throws(ReceiptError) -> ProvenEntitlements {
    ProvenEntitlements(try await receipt())
  }
}
