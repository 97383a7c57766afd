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

extension StoredProof {
  init(_ row: SQLRow) throws {
    let kind: PurchaseProof.Kind = try row.value("kind")
    let data = Data(try row.data("data"))
    self.init(
      customer: try row.customer("customer"), app: try row.identifier("app"),
      proof: kind == .appReceipt ? .appReceipt(data) : .legacyReceipt(data),
      environment: try row.value("environment"), digest: try row.text("digest"))
  }
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
    try require(.customer(customer))
    guard let seconds = settings.reverificationSeconds, let data = proof.proof.receipt else { return }
    let digest = Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: data)))
    // Its time stays: whoever sends the same one again and again asks about some of it only.
    try execute(
      """
      INSERT INTO stored_proof (customer, app, environment, digest, kind, data, stated, due)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (customer, app, environment, digest) DO UPDATE SET stated = excluded.stated
      """, customer, proof.app, proof.environment, digest, proof.proof.kind.rawValue, [UInt8](data), proof.statedDate,
      now.adding(seconds: seconds))
    for claim in claims where claim.proof != digest {
      try execute(
        "UPDATE claim SET proof = $4 WHERE app = $1 AND environment = $2 AND id = $3", claim.key.app,
        claim.key.environment, claim.key.id, digest)
      try letGo(proofOf: claim, customer)
    }
  }

  /// Corrects dates that were written while this server's clock was ahead: no proof is due later than one period from
  /// now. Up to one period of tolerance, so that servers whose clocks differ do not correct each other.
  func bringForward(_ app: BundleID, seconds: Int64, _ now: StoreDate) throws {
    try execute(
      """
      UPDATE stored_proof SET due = $2 WHERE (customer, app, environment, digest) IN (
        SELECT customer, app, environment, digest FROM stored_proof WHERE app = $1 AND due > $3 LIMIT 1000)
      """, app, now.adding(seconds: seconds), now.adding(seconds: 2 * seconds))
  }

  /// Moves the proof of a claim that moves, so that it is asked about as long as anybody has it.
  func moveProof(of claim: Claim, to customer: CustomerID) throws {
    guard let proof = claim.proof else { return }
    try execute(
      """
      INSERT INTO stored_proof (customer, app, environment, digest, kind, data, stated, due)
      SELECT $5, app, environment, digest, kind, data, stated, due FROM stored_proof
      WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4
      ON CONFLICT (customer, app, environment, digest) DO NOTHING
      """, claim.customer, claim.key.app, claim.key.environment, proof, customer)
    try letGo(proofOf: claim, claim.customer)
  }

  /// Lets go a proof that a claim was asked about by, unless another claim of the customer is.
  private func letGo(proofOf claim: Claim, _ customer: CustomerID) throws {
    guard let proof = claim.proof else { return }
    try execute(
      """
      DELETE FROM stored_proof
      WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND NOT EXISTS (
        SELECT 1 FROM claim WHERE claim.proof = stored_proof.digest AND claim.customer = stored_proof.customer)
      """, customer, claim.key.app, claim.key.environment, proof)
  }

  /// Lets go a proof that nobody will be asked about again, unless it is not the time any more.
  func letGo(_ proof: StoredProof, due: Int64) throws {
    let isGone =
      try execute(
        """
        DELETE FROM stored_proof WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND due = $5
        """, proof.customer, proof.app, proof.environment, proof.digest, due) > 0
    guard isGone else { return }
    try execute("UPDATE claim SET proof = NULL WHERE proof = $1 AND customer = $2", proof.digest, proof.customer)
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
