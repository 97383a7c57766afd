import Foundation
import StoreModel

/// What the ledger has recorded about the purchases of a part. With the proof and the catalog, it is all on which the decisions
/// depend (``RedemptionDecisions``). It is read under the locks, so it is true until the commit.
struct RedemptionRecords: Sendable {
  /// The purchases that are redeemed, and those that the claimant has claimed before.
  var claims: [PurchaseKey: ClaimRecord] = [:]
  /// The claims of purchases that are not redeemed now, but that the proof states as refunded, in the order in which they are settled.
  var refunded: [PurchaseKey] = []
  /// The claims' ids of purchases under whose id another purchase is recorded.
  var otherPurchases: Set<TransactionID> = []
  /// The customers whom an `appAccountToken` names. Erased customers, and the claimant, are left out.
  var named: [UUID: ClaimDecision.Customer] = [:]
}

/// What the ledger has recorded about one purchase.
struct ClaimRecord: Hashable, Sendable {
  /// The newest revocation status, which may be that of the proof.
  let status: RevocationStatus
  /// Nil if the purchase is not claimed.
  var claim: Claim?
  /// The claim's owner; nil if the purchase is not claimed.
  var owner: ClaimDecision.Customer?
  /// The owner and the claimant, as far as an operator has revoked the entitlement from them. Empty if the purchase is refunded,
  /// because a refund comes first, and for consumables, which have no entitlement.
  var revokedFrom: Set<CustomerID> = []
}

extension LedgerTransaction {
  /// Reads the owners of claims, the customers whom purchases name, and what operators have revoked. All statements are sent
  /// together, except for customers who were joined to others. The caller holds the locks of the claimant and of the owners.
  ///
  /// - Parameters:
  ///   - recorded: the purchases, with their claims.
  ///   - tokens: the `appAccountToken`s of the purchases that are redeemed.
  func records(
    of recorded: [RecordedGroup], naming tokens: Set<UUID>, for claimant: ClaimDecision.Customer
  ) throws -> RedemptionRecords {
    let owners = Set(recorded.compactMap(\.claim?.customer))
    var statuses: [CustomerID: PendingAnswer] = [:]
    for customer in owners.union(tokens.map(CustomerID.init(rawValue:))) where customer != claimant.customer {
      statuses[customer] = try statusLater(of: customer)
    }
    var revocations: [(key: PurchaseKey, customer: CustomerID, answer: PendingAnswer)] = []
    for group in recorded where group.lasts && !group.status.isRevoked {
      for customer in Set([claimant.customer, group.claim?.customer ?? claimant.customer]) {
        revocations.append((group.group.key, customer, try revocationLater(of: group.group.key, from: customer)))
      }
    }
    func status(of customer: CustomerID) throws -> CustomerStatus? {
      try statuses[customer]?.row.map { try CustomerStatus(customer, $0) }
    }

    var records = RedemptionRecords()
    for group in recorded {
      var record = ClaimRecord(status: group.status, claim: group.claim)
      if let owner = group.claim?.customer {
        record.owner = owner == claimant.customer ? claimant : try status(of: owner).map(ClaimDecision.Customer.init)
        guard record.owner != nil else { throw LedgerDatabaseError.unexpectedRow("the owner of a claim is missing") }
      }
      records.claims[group.group.key] = record
    }
    for revocation in revocations where try revocation.answer.row != nil {
      records.claims[revocation.key]?.revokedFrom.insert(revocation.customer)
    }
    for token in tokens {
      guard var named = try status(of: CustomerID(rawValue: token)) else { continue }
      if let joined = named.joinedTo, let other = try self.status(of: joined) { named = other }
      if named.isActive { records.named[token] = ClaimDecision.Customer(named) }
    }
    return records
  }
}

extension RecordedGroup {
  fileprivate var lasts: Bool { (claim?.type ?? group.type).lasts }
}

extension ClaimDecision.Customer {
  init(_ status: CustomerStatus) {
    self.init(customer: status.customer, isIdentified: status.subject != nil, isErased: status.isErased)
  }
}
