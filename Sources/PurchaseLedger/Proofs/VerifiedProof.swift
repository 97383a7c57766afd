import SignedData
import StoreModel

/// What the store says in a proof that was verified, and when it said so. Only verifying makes one.
public struct VerifiedProof: Sendable {
  /// What was verified, to be asked about again.
  public let proof: PurchaseProof
  public let app: BundleID
  public let environment: StoreEnvironment
  /// When the store stated it, by the store's clock: of two statements about a transaction, the newer is believed.
  public let statedDate: StoreDate
  /// When the store signed the proof itself; nil where that is not known, as for a legacy receipt, and for a receipt
  /// whose signature was not verified here.
  public let issuedDate: StoreDate?
  /// In the order of the proof.
  public let purchases: [ProvenPurchase]
  /// Whether it was issued for a device.
  public let isIssued: @Sendable (DeviceIdentifier) -> Bool

  init(
    proof: PurchaseProof, app: BundleID, environment: StoreEnvironment, statedDate: StoreDate, issuedDate: StoreDate?,
    purchases: [ProvenPurchase], isIssued: @escaping @Sendable (DeviceIdentifier) -> Bool
  ) {
    self.proof = proof
    self.app = app
    self.environment = environment
    self.statedDate = statedDate
    self.issuedDate = issuedDate
    self.purchases = purchases
    self.isIssued = isIssued
  }
}

extension VerifiedProof {
  /// Whether the store made the proof at or after `registered`. Receipts bear whole seconds, so a proof of the same
  /// second counts.
  func isIssued(after registered: StoreDate?) -> Bool {
    guard let registered, let issuedDate else { return false }
    return issuedDate.millisecondsSince1970 / 1000 >= registered.millisecondsSince1970 / 1000
  }
}
