import SignedData
import StoreModel

/// The content of a verified proof, with the date of the store's answer. It can be created only by a successful
/// verification.
public struct VerifiedProof: Sendable {
  /// The proof itself.
  public let proof: PurchaseProof
  /// The proof that is stored, so that the store can be asked again about the purchases: the receipt, or a transaction id for
  /// the App Store Server API. Nil for a signed transaction about which the store is not asked.
  let stored: PurchaseProof?
  public let app: BundleID
  public let environment: StoreEnvironment
  /// The date of the store's answer, by the store's clock; if the store was not asked, the date of the proof. If two
  /// proofs contain the same transaction, the newer one determines its status. A purchase can have a date of its own.
  public let statedDate: StoreDate
  /// When the store signed the proof. Nil for a legacy receipt, which has no such date, and for a receipt whose signature this
  /// server has not verified.
  public let issuedDate: StoreDate?
  /// The purchases, in the order of the proof.
  public let purchases: [ProvenPurchase]
  /// How the subscriptions of the proof continue, by original transaction; empty if the store was not asked.
  public let renewals: [TransactionID: ProvenRenewal]
  /// Ids of redeliveries, with the purchases that they delivered again. StoreKit 1 gives a purchase that is bought again or restored a
  /// new id; the store answers about that id with the purchase, under the purchase's own id.
  let redeliveries: [TransactionID: TransactionID]
  /// Whether the proof was issued for a device.
  public let isIssued: @Sendable (DeviceIdentifier) -> Bool

  /// - Parameter stored: the stored proof; nil for the receipt itself.
  init(
    proof: PurchaseProof, app: BundleID, environment: StoreEnvironment, statedDate: StoreDate, issuedDate: StoreDate?,
    purchases: [ProvenPurchase], renewals: [TransactionID: ProvenRenewal] = [:],
    redeliveries: [TransactionID: TransactionID] = [:], stored: PurchaseProof? = nil,
    isIssued: @escaping @Sendable (DeviceIdentifier) -> Bool
  ) {
    self.proof = proof
    self.app = app
    self.environment = environment
    self.statedDate = statedDate
    self.issuedDate = issuedDate
    self.purchases = purchases
    self.renewals = renewals
    self.redeliveries = redeliveries
    self.isIssued = isIssued
    self.stored =
      switch proof.kind {
      case .appReceipt, .legacyReceipt: stored ?? proof
      case .signedTransaction, .transactionID: stored
      }
  }
}
