import Foundation
import StoreModel

/// A proof that is kept, so that the store can be asked about it again.
public struct StoredProof: Hashable, Sendable {
  public let customer: CustomerID
  public let app: BundleID
  public let proof: PurchaseProof
  let environment: StoreEnvironment
  /// What a legacy receipt is of; empty for an app receipt, of which a customer has one.
  let source: String
}

extension LedgerTransaction {
  /// Keeps a proof for the next question, in place of an older one of the same kind.
  ///
  /// An app receipt has all purchases of its customer. A legacy receipt has one, so there are as many. A signed
  /// transaction is not asked about: the App Store Server API needs no more of it than its id.
  func keep(_ proof: VerifiedProof, of customer: CustomerID, _ settings: LedgerSettings, _ now: StoreDate) throws {
    guard let seconds = settings.reverificationSeconds else { return }
    let (data, source): (Data, String)
    switch proof.proof {
    case .appReceipt(let receipt): (data, source) = (receipt, "")
    case .legacyReceipt(let receipt): (data, source) = (receipt, proof.purchases.first?.transactionID.rawValue ?? "")
    case .signedTransaction: return
    }
    try execute(
      """
      INSERT INTO stored_proof (customer, app, environment, kind, source, data, stated, due)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (customer, app, environment, kind, source) DO UPDATE
      SET data = excluded.data, stated = excluded.stated, due = excluded.due
      WHERE excluded.stated >= stored_proof.stated
      """, customer, proof.app, proof.environment, proof.proof.kind.rawValue, source, [UInt8](data), proof.statedDate,
      now.adding(seconds: seconds))
  }
}
