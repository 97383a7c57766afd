import Foundation
import StoreModel

/// Settles claims in one transaction, and collects the passes whose access periods change by it.
struct ClaimSettler {
  private let transaction: LedgerTransaction
  private let policy: LedgerSettings.RefundPolicy
  private let now: StoreDate
  private let makeUUID: () -> UUID
  var products: RedeemableProducts
  /// The caller applies it after the last claim (``LedgerTransaction/apply(_:)``). The end of access of passes is not valid before.
  private(set) var passes = PassSchedule()

  /// - Parameter makeUUID: creates the ids of new deliveries.
  init(
    _ transaction: LedgerTransaction, _ policy: LedgerSettings.RefundPolicy, _ products: RedeemableProducts,
    _ now: StoreDate, makeUUID: @escaping () -> UUID
  ) {
    self.transaction = transaction
    self.policy = policy
    self.products = products
    self.now = now
    self.makeUUID = makeUUID
  }

  /// Updates the entitlement, deliveries and credits of a claim according to its revocation status.
  ///
  /// - Parameter isRevoked: whether an operator has revoked the entitlement from the claim's owner; nil if that was not read.
  /// - Returns: the updated claim, and the id of its active delivery; nil if there is none.
  mutating func settle(
    _ claim: Claim, by status: RevocationStatus, isRevokedByOperator isRevoked: Bool? = nil
  ) throws -> (claim: Claim, delivery: UUID?) {
    try transaction.require(.customer(claim.customer))
    return try transaction.settle(
      claim, by: status, policy, &passes, delivery: makeUUID(), isRevokedByOperator: isRevoked, now
    ) {
      try products.product($0)?.hasFiles ?? false
    }
  }
}
