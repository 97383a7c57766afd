import Crypto
import Foundation
import SignedData
import StoreModel

/// A proof that is kept, so that the store can be asked about it again.
public struct StoredProof: Hashable, Sendable {
  public let customer: CustomerID
  public let app: BundleID
  public let proof: PurchaseProof
  let environment: StoreEnvironment
  let digest: String
}

extension LedgerTransaction {
  /// Keeps a proof for the next question: each of the claims that it was redeemed for is asked about by it from now on.
  /// A proof by which no claim is asked about any more is let go.
  ///
  /// The newest receipt will not do for all: it does not list a consumable that was finished before.
  ///
  /// A signed transaction is not asked about: the App Store Server API needs no more of it than its id.
  func keep(
    _ proof: VerifiedProof, of customer: CustomerID, for claims: [Claim], _ settings: LedgerSettings, _ now: StoreDate
  ) throws {
    guard let seconds = settings.reverificationSeconds, let data = proof.proof.receipt else { return }
    let digest = Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: data)))
    try execute(
      """
      INSERT INTO stored_proof (customer, app, environment, digest, kind, data, stated, due)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (customer, app, environment, digest) DO UPDATE SET stated = excluded.stated, due = excluded.due
      """, customer, proof.app, proof.environment, digest, proof.proof.kind.rawValue, [UInt8](data), proof.statedDate,
      now.adding(seconds: seconds))
    var former: Set<String> = []
    for claim in claims where claim.proof != digest {
      try execute(
        "UPDATE claim SET proof = $4 WHERE app = $1 AND environment = $2 AND id = $3", claim.key.app,
        claim.key.environment, claim.key.id, digest)
      if let proof = claim.proof { former.insert(proof) }
    }
    for digest in former.sorted() {
      try execute(
        """
        DELETE FROM stored_proof
        WHERE digest = $1 AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.proof = stored_proof.digest)
        """, digest)
    }
  }

  /// Lets a proof go that nobody will be asked about again.
  func letGo(_ digest: String, of customer: CustomerID, app: BundleID, _ environment: StoreEnvironment) throws {
    try execute(
      "DELETE FROM stored_proof WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4", customer, app,
      environment, digest)
    try execute("UPDATE claim SET proof = NULL WHERE proof = $1 AND customer = $2", digest, customer)
  }
}

extension PurchaseProof {
  /// The bytes that the store can be asked about; nil for a signed transaction.
  fileprivate var receipt: Data? {
    switch self {
    case .appReceipt(let receipt), .legacyReceipt(let receipt): receipt
    case .signedTransaction: nil
    }
  }
}
