import Foundation
import StoreModel

/// Writes the decisions on a part of a redemption.
struct RedemptionWriter {
  private let transaction: LedgerTransaction
  private let claimant: CustomerID
  private let now: StoreDate
  /// The records, with the claims as they were written.
  private var records: [PurchaseKey: ClaimRecord]
  private(set) var settler: ClaimSettler
  /// The passes that were transferred from other customers.
  private(set) var transferred = PassSchedule()
  /// The claims that the proof has redeemed.
  private(set) var provenClaims: [Claim] = []

  /// - Parameters:
  ///   - settler: has perhaps settled other claims before.
  ///   - claimant: the customer who redeems.
  init(
    _ transaction: LedgerTransaction, _ records: RedemptionRecords, _ settler: ClaimSettler, for claimant: CustomerID,
    _ now: StoreDate
  ) {
    self.transaction = transaction
    self.records = records.claims
    self.settler = settler
    self.claimant = claimant
    self.now = now
  }

  /// Writes decisions in their order.
  mutating func write(_ decisions: RedemptionDecisions) throws -> WrittenDecisions {
    for decision in decisions.refunded { _ = try write(decision) }
    return WrittenDecisions(
      entries: try decisions.entries.map { try write($0) },
      missing: try decisions.missing.map { try $0.map { try write($0) } })
  }

  /// Computes the access periods of the passes that were given, ended or moved. The end of access is valid after this.
  ///
  /// - Parameter isDivided: whether the redemption has several parts. The passes that previous owners keep are then scheduled
  ///   once, after the last part.
  func writePasses(isDivided: Bool) throws {
    try transaction.apply(settler.passes)
    if isDivided {
      try transaction.noteUnscheduled(transferred, for: claimant)
    } else {
      try transaction.apply(transferred)
    }
  }

  private mutating func write(_ decision: RedemptionDecision) throws -> WrittenDecision {
    guard let record = records[decision.key], let claim = try write(decision.change, record.claim, decision.price)
    else {
      return WrittenDecision(decision: decision)
    }
    let (settled, delivery) = try settler.settle(
      claim, by: record.status, isRevokedByOperator: record.revokedFrom.contains(claim.customer))
    records[decision.key]?.claim = settled
    return WrittenDecision(decision: decision, claim: settled, delivery: delivery)
  }

  /// Writes the change of a claim, and returns the claim, whose goods are not settled yet.
  ///
  /// - Parameter price: fills in that of a claim that stays or is transferred.
  private mutating func write(
    _ change: RedemptionDecision.Change, _ claim: Claim?, _ price: PurchasePrice?
  ) throws -> Claim? {
    switch change {
    case .none: return nil
    case .settle: return claim
    case .claim(let claim):
      try transaction.insert(claim)
      if let account = claim.account {
        // The claim is new, so there is no such movement yet.
        _ = try transaction.add(claim.given, account, .purchase, key: claim.causeKey, now)
      }
      provenClaims.append(claim)
      return claim
    case .keep(let ownership, let isByDevice):
      guard var claim else { return nil }
      let isPriced = claim.adopt(price)
      if isPriced || claim.ownership != ownership || claim.isByDevice != isByDevice {
        (claim.ownership, claim.isByDevice) = (ownership, isByDevice)
        try transaction.update(claim)
      }
      provenClaims.append(claim)
      return claim
    case .transfer(let ownership, let isByDevice):
      guard var claim else { return nil }
      let wasByDevice = claim.isByDevice
      _ = claim.adopt(price)
      (claim.ownership, claim.isByDevice) = (ownership, isByDevice)
      let moved = try transaction.move(claim, to: claimant, wasByDevice: wasByDevice, &transferred, now)
      provenClaims.append(moved)
      return moved
    }
  }
}

/// A decision after it was written.
struct WrittenDecision {
  let decision: RedemptionDecision
  /// The claim, with its goods; nil if nothing was written.
  var claim: Claim?
  /// The id of the claim's active delivery; nil if there is none.
  var delivery: UUID?
}

/// The decisions on the items of a part after they were written, in the order of the items.
struct WrittenDecisions {
  let entries: [WrittenDecision]
  let missing: [WrittenDecision?]
}
