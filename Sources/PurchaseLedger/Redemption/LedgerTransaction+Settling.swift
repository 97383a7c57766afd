import Foundation
import StoreModel

extension LedgerTransaction {
  /// Updates the entitlement, deliveries and credits of a claim according to its revocation status. A repeated call
  /// changes nothing.
  ///
  /// - Parameters:
  ///   - passes: notes a non-renewing subscription. The caller applies it at the end of the transaction
  ///     (``LedgerTransaction/apply(_:)``); the end of access is not valid before.
  ///   - delivery: the id for a new delivery. It begins if the product has files and the claim has no active delivery.
  ///   - isRevoked: whether an operator has revoked the entitlement from the claim's owner; nil if that was not read yet.
  ///   - hasFiles: whether files of a product were published.
  /// - Returns: the updated claim, and the id of its active delivery; nil if there is none.
  func settle(
    _ claim: Claim, by status: RevocationStatus, _ policy: LedgerSettings.RefundPolicy, _ passes: inout PassSchedule,
    delivery: UUID, isRevokedByOperator isRevoked: Bool? = nil, _ now: StoreDate,
    hasFiles: (ProductID) throws -> Bool
  ) throws -> (claim: Claim, delivery: UUID?) {
    let claim = try followPeriods(claim, now)
    if claim.type.lasts {
      if status.isRevoked {
        try endEntitlement(
          of: claim.customer, app: claim.key.app, product: claim.product, source: claim.source, .refunded, now)
      } else if try !(isRevoked ?? isRevokedByOperator(claim)) {
        try entitle(
          claim.customer, app: claim.key.app, product: claim.product, source: claim.source,
          origin: claim.ownership == .familyShared ? .familyShared : .purchased, begun: claim.purchased,
          accessUntil: try accessEnd(of: claim))
      }
      passes.note(claim, of: claim.customer)
    }
    var active: UUID?
    if status.endsGoods(of: claim.type) {
      try endDeliveries(of: claim.customer, app: claim.key.app, source: claim.source, now)
    } else if try hasFiles(claim.product) {
      // A product that never had files has no deliveries.
      active =
        try isDelivered(claim)
        ? deliver(claim.product, app: claim.key.app, source: claim.source, to: claim.customer, id: delivery, now)
        : deliveryUnderWay(of: claim.product, source: claim.source, to: claim.customer, claim.key.app)
    }
    return (try settleCredits(claim, by: status, policy, now), active)
  }

  /// Whether the claim's customer may download the files of the product.
  private func isDelivered(_ claim: Claim) throws -> Bool {
    guard claim.type.lasts else { return try status(of: claim.customer)?.isActive ?? false }
    let held = try entitlement(
      of: claim.customer, app: claim.key.app, product: claim.product, source: claim.source)
    return held.map { $0.ended == nil } ?? false
  }

  private func settleCredits(
    _ claim: Claim, by status: RevocationStatus, _ policy: LedgerSettings.RefundPolicy, _ now: StoreDate
  ) throws -> Claim {
    guard let account = claim.account else { return claim }
    let wanted = status.isRevoked ? CreditAmount.taken(of: claim.given, percentage: status.percentage) : 0
    let difference = wanted - claim.taken
    guard difference != 0 else { return claim }
    var claim = claim
    // A statement changes the part that is taken back once at most, so its date makes the key unique.
    let stated = status.percentageStated ?? status.stated
    let key = "\(claim.causeKey)@\(stated.millisecondsSince1970)"
    claim.taken = wanted
    if difference > 0 {
      let balance = try move(-difference, account, .refund, key: key, now).balance
      if policy != .debt, balance < 0 {
        let missing = min(difference, -balance)
        _ = try move(missing, account, .shortfall, key: key, now)
        claim.shortfall += missing
        if policy == .block {
          claim.blocks = true
          try blockSpending(account, now)
        }
      }
    } else {
      _ = try move(-difference, account, .refundReversed, key: key, now)
      let repaid = min(claim.shortfall, -difference)
      if repaid > 0 { _ = try move(-repaid, account, .shortfallReversed, key: key, now) }
      claim.shortfall -= repaid
      if claim.shortfall == 0 { claim.blocks = false }
    }
    try update(claim)
    // The shortfall of another refund may still block spending.
    if difference < 0, try !isBlockedByClaims(account) { try unblockSpending(account) }
    return claim
  }
}
