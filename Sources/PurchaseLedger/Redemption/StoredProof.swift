import Crypto
import Foundation
import SignedData
import StoreModel

/// A proof that is stored, so that the store can be asked about it again.
public struct StoredProof: Hashable, Sendable {
  public let customer: CustomerID
  public let app: BundleID
  /// A receipt, or a transaction id of the customer's store account.
  public let proof: PurchaseProof
  public let environment: StoreEnvironment
  let digest: String
}

extension StoredProof {
  init(_ row: SQLRow) throws {
    let kind: PurchaseProof.Kind = try row.value("kind")
    guard let proof = PurchaseProof(stored: Data(try row.data("data")), as: kind) else {
      throw LedgerDatabaseError.unexpectedRow("a stored proof of the kind \(kind.rawValue) cannot be read")
    }
    self.init(
      customer: try row.customer("customer"), app: try row.identifier("app"), proof: proof,
      environment: try row.value("environment"), digest: try row.text("digest"))
  }
}

extension LedgerTransaction {
  /// Stores a proof for later verification of the claims that were redeemed with it. Stored proofs that no claim uses
  /// any more are deleted.
  ///
  /// The newest receipt alone does not suffice: it does not list consumables that were finished earlier.
  ///
  /// For the App Store Server API, only a transaction id is stored.
  ///
  /// - Parameters:
  ///   - digest: the proof's ``VerifiedProof/storedDigest``.
  ///   - isStored: whether an earlier part of the same redemption has stored the proof.
  func keep(
    _ proof: VerifiedProof, digest: String?, isStored: Bool, of customer: CustomerID, for claims: [Claim],
    _ settings: LedgerSettings, _ now: StoreDate
  ) throws {
    try require(.customer(customer))
    guard let seconds = settings.reverificationSeconds, let stored = proof.stored, let digest else { return }
    if try !isStored || !isProofStored(digest, of: customer, proof) {
      // `due` is not changed: a redemption may concern only some of the proof's purchases, and repeating it must not postpone
      // the verification of the others.
      try executeLater(
        """
        INSERT INTO stored_proof (customer, app, environment, digest, kind, data, stated, due)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (customer, app, environment, digest) DO UPDATE SET stated = excluded.stated
        """, customer, proof.app, proof.environment, digest, stored.kind.rawValue, stored.storedBytes,
        proof.statedDate, now.adding(seconds: seconds))
    }
    let changed = claims.filter { $0.proof != digest }
    for claim in changed {
      try executeLater(
        "UPDATE claim SET proof = $4 WHERE app = $1 AND environment = $2 AND id = $3", claim.key.app,
        claim.key.environment, claim.key.id, digest)
    }
    // Claims that were redeemed with the same proof share it, so it is looked for only once.
    for claim in Dictionary(changed.map { ($0.proof, $0) }, uniquingKeysWith: { first, _ in first }).values {
      try discard(proofOf: claim, customer)
    }
  }

  private func isProofStored(_ digest: String, of customer: CustomerID, _ proof: VerifiedProof) throws -> Bool {
    try row(
      """
      SELECT 1 AS found FROM stored_proof
      WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4
      """, customer, proof.app, proof.environment, digest) != nil
  }

  /// Corrects due dates that were written while this server's clock was ahead: a proof is due at most one period from now. Up
  /// to one further period is tolerated, so that servers with different clocks do not correct each other.
  func bringForward(_ app: BundleID, seconds: Int64, _ now: StoreDate) throws {
    try execute(
      """
      UPDATE stored_proof SET due = $2 WHERE (customer, app, environment, digest) IN (
        SELECT customer, app, environment, digest FROM stored_proof WHERE app = $1 AND due > $3 LIMIT 1000)
      """, app, now.adding(seconds: seconds), now.adding(seconds: 2 * seconds))
  }

  /// Moves the stored proof of a claim to the claim's new customer, so that it is verified as long as the claim exists.
  func moveProof(of claim: Claim, to customer: CustomerID) throws {
    guard let proof = claim.proof else { return }
    try execute(
      """
      INSERT INTO stored_proof (customer, app, environment, digest, kind, data, stated, due, revision)
      SELECT $5, app, environment, digest, kind, data, stated, due, revision FROM stored_proof
      WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND NOT EXISTS (
        SELECT 1 FROM stored_proof known
        WHERE known.customer = $5 AND known.app = $2 AND known.environment = $3 AND known.digest = $4)
      ON CONFLICT (customer, app, environment, digest) DO NOTHING
      """, claim.customer, claim.key.app, claim.key.environment, proof, customer)
    try discard(proofOf: claim, claim.customer)
  }

  /// Deletes the stored proof of a claim, unless another claim of the customer uses it.
  private func discard(proofOf claim: Claim, _ customer: CustomerID) throws {
    guard let proof = claim.proof else { return }
    try execute(
      """
      DELETE FROM stored_proof
      WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND NOT EXISTS (
        SELECT 1 FROM claim WHERE claim.proof = stored_proof.digest AND claim.customer = stored_proof.customer)
      """, customer, claim.key.app, claim.key.environment, proof)
  }

  /// Deletes a stored proof that is no longer verified, unless its due date has changed meanwhile.
  func discard(_ proof: StoredProof, due: Int64) throws {
    let isGone =
      try execute(
        """
        DELETE FROM stored_proof WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND due = $5
        """, proof.customer, proof.app, proof.environment, proof.digest, due) > 0
    guard isGone else { return }
    try execute("UPDATE claim SET proof = NULL WHERE proof = $1 AND customer = $2", proof.digest, proof.customer)
  }
}

extension VerifiedProof {
  /// The SHA-256 of the stored proof, under which it is stored; nil if none is stored.
  var storedDigest: String? {
    stored.map { proof in
      let prefix = proof.kind == .transactionID ? Array("transactionID ".utf8) : []
      return Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: prefix + proof.storedBytes)))
    }
  }
}

extension PurchaseProof {
  /// The bytes in which the proof is stored.
  fileprivate var storedBytes: [UInt8] {
    switch self {
    case .appReceipt(let receipt), .legacyReceipt(let receipt): Array(receipt)
    case .signedTransaction(let text): Array(text.utf8)
    case .transactionID(let id): Array(id.rawValue.utf8)
    }
  }

  /// Returns nil if the bytes are no proof of this kind.
  fileprivate init?(stored bytes: Data, as kind: Kind) {
    switch kind {
    case .appReceipt: self = .appReceipt(bytes)
    case .legacyReceipt: self = .legacyReceipt(bytes)
    case .signedTransaction: self = .signedTransaction(String(decoding: bytes, as: UTF8.self))
    case .transactionID:
      guard let id = TransactionID(rawValue: String(decoding: bytes, as: UTF8.self)) else { return nil }
      self = .transactionID(id)
    }
  }
}
