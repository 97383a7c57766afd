import Foundation
import StoreModel

/// A redemption inside its transaction.
struct RedemptionWork {
  /// A purchase of the proof that is claimed.
  private struct Entry {
    /// Its place in the answer.
    let place: Int
    let askedFor: TransactionID
    let purchase: ProvenPurchase
    let product: LedgerProduct
    let claimKey: PurchaseKey
    let statementKey: PurchaseKey
  }

  let transaction: LedgerTransaction
  let proof: VerifiedProof
  let settings: LedgerSettings
  let isIssuedForDevice: Bool
  /// Whether the proof shows that the claimant is who an earlier installation on the device was.
  private let mayJoin: Bool
  let now: StoreDate
  let makeUUID: @Sendable () -> UUID
  private let purchases: [TransactionID: ProvenPurchase]
  private var claimant: ClaimDecision.Party
  private var products: [ProductID: LedgerProduct?] = [:]
  private var outcomes: [RedeemedPurchase] = []

  init(
    _ transaction: LedgerTransaction, _ proof: VerifiedProof, _ settings: LedgerSettings, for claimant: Claimant,
    at now: StoreDate, makeUUID: @escaping @Sendable () -> UUID
  ) throws {
    self.transaction = transaction
    self.proof = proof
    self.settings = settings
    self.now = now
    self.makeUUID = makeUUID
    // A legacy receipt names its device in words that whoever has it can read: it proves no device to anybody.
    isIssuedForDevice = proof.proof.kind != .legacyReceipt && claimant.device.map(proof.isIssued) ?? false
    // A Mac's address can be found by trying; enough to bring one purchase back, not to become somebody.
    if case .vendorIdentifier = claimant.device { mayJoin = isIssuedForDevice } else { mayJoin = false }
    purchases = Dictionary(proof.purchases.map { ($0.transactionID, $0) }) { first, _ in first }
    self.claimant = ClaimDecision.Party(
      customer: claimant.customer, isIdentified: try transaction.isIdentified(claimant.customer))
  }

  mutating func redeem(_ request: RedemptionRequest) throws -> Redemption {
    var entries = try entries(for: request)
    try joinEarlierInstallation()
    // In one order for all, because each locks its statement.
    entries.sort { ($0.statementKey.id, $0.place) < ($1.statementKey.id, $1.place) }
    for entry in entries {
      outcomes[entry.place] = RedeemedPurchase(
        transactionID: entry.askedFor, productID: entry.purchase.productID, outcome: try outcome(of: entry))
    }
    return Redemption(customer: claimant.customer, environment: proof.environment, purchases: outcomes)
  }

  // MARK: What is claimed

  /// The purchases that can be looked at; what cannot is answered.
  private mutating func entries(for request: RedemptionRequest) throws -> [Entry] {
    switch request {
    case .purchases(let items):
      return try items.compactMap { item in
        guard let purchase = purchase(item.transactionID) else {
          answer(item.transactionID, nil, .refused(.notInProof))
          return nil
        }
        guard item.productID == nil || item.productID == purchase.productID else {
          answer(item.transactionID, purchase.productID, .refused(.otherProduct(purchase.productID)))
          return nil
        }
        return try entry(for: purchase, askedFor: item.transactionID)
      }
    case .everythingOwned:
      var newest: [TransactionID: ProvenPurchase] = [:]
      var order: [TransactionID] = []
      for purchase in proof.purchases where try type(of: purchase)?.lasts ?? true {
        let id = purchase.originalTransactionID
        guard let known = newest[id] else {
          newest[id] = purchase
          order.append(id)
          continue
        }
        if purchase.isNewer(than: known) { newest[id] = purchase }
      }
      return try order.compactMap { id in
        guard let purchase = newest[id] else { return nil }
        return try entry(for: purchase, askedFor: purchase.transactionID)
      }
    }
  }

  /// By its own id, or of what was restored or bought again, by its original's.
  private func purchase(_ id: TransactionID) -> ProvenPurchase? {
    if let exact = purchases[id] { return exact }
    let periods = proof.purchases.filter { $0.originalTransactionID == id }
    return periods.dropFirst().reduce(periods.first) { newest, next in
      newest.map { next.isNewer(than: $0) ? next : $0 }
    }
  }

  private mutating func type(of purchase: ProvenPurchase) throws -> ProductType? {
    try purchase.type ?? product(purchase.productID)?.type
  }

  private mutating func entry(for purchase: ProvenPurchase, askedFor: TransactionID) throws -> Entry? {
    guard let product = try product(purchase.productID) else {
      answer(askedFor, purchase.productID, .refused(.unknownProduct(purchase.productID)))
      return nil
    }
    if let type = purchase.type, type != product.type {
      answer(askedFor, purchase.productID, .refused(.otherType(type)))
      return nil
    }
    func key(_ id: TransactionID) -> PurchaseKey {
      PurchaseKey(app: proof.app, environment: proof.environment, id: id)
    }
    let entry = Entry(
      place: outcomes.count, askedFor: askedFor, purchase: purchase, product: product,
      claimKey: key(purchase.claimID(product.type)), statementKey: key(purchase.statementID(product.type)))
    // Its place is kept.
    answer(askedFor, purchase.productID, .refused(.notInProof))
    return entry
  }

  private mutating func product(_ id: ProductID) throws -> LedgerProduct? {
    if let known = products[id] { return known }
    let product = try transaction.product(id, app: proof.app)
    products[id] = product
    return product
  }

  private mutating func answer(
    _ askedFor: TransactionID, _ product: ProductID?, _ outcome: RedeemedPurchase.Outcome
  ) {
    outcomes.append(RedeemedPurchase(transactionID: askedFor, productID: product, outcome: outcome))
  }

  // MARK: Whose it becomes

  /// A reinstalled app, or a second device, is a new customer who owns nothing. What the proof shows to be an earlier
  /// one of the same store account takes its place: whoever has claimed any purchase in it, not only those that are
  /// claimed now. Whoever buys before they restore would otherwise be kept from joining by what they bought.
  ///
  /// Whom a purchase merely names is not joined: the name is chosen by who buys.
  private mutating func joinEarlierInstallation() throws {
    guard !claimant.isIdentified, mayJoin, try !transaction.ownsSomething(claimant.customer) else { return }
    for purchase in proof.purchases {
      guard let type = try type(of: purchase),
        let earlier = try transaction.claim(
          PurchaseKey(app: proof.app, environment: proof.environment, id: purchase.claimID(type)))?.customer,
        earlier != claimant.customer, try transaction.isAnonymous(earlier)
      else { continue }
      try transaction.join(claimant.customer, to: earlier)
      claimant = ClaimDecision.Party(customer: earlier, isIdentified: false)
      return
    }
  }

  /// Whom a purchase names. A name that nobody bears, or bears any more, is none.
  private func named(by purchase: ProvenPurchase) throws -> ClaimDecision.Party? {
    guard settings.accountTokensNameCustomers, let token = purchase.appAccountToken else { return nil }
    let customer = CustomerID(rawValue: token)
    return try transaction.isKnown(customer)
      ? ClaimDecision.Party(customer: customer, isIdentified: try !transaction.isAnonymous(customer)) : nil
  }

  private func outcome(of entry: Entry) throws -> RedeemedPurchase.Outcome {
    let statement = try transaction.take(
      entry.purchase.revocation, on: entry.statementKey, stated: proof.statedDate, now)
    let claim = try transaction.claim(entry.claimKey)
    let decision = ClaimDecision(
      of: claimant, owner: try claim.map { try owner(of: $0) }, named: try named(by: entry.purchase),
      isIssuedForDevice: isIssuedForDevice, type: entry.product.type)
    switch decision {
    case .refuse(let refusal): return .refused(refusal)
    case .claim:
      // What was taken back altogether is nobody's any more.
      if statement.isRevoked, entry.product.type.lasts || statement.percentage == 100_000 {
        return .refused(.refunded(statement.date))
      }
      let claim = try newClaim(entry)
      try transaction.insert(claim)
      if let account = claim.account {
        _ = try transaction.move(claim.given, account, .purchase, key: claim.causeKey, now)
      }
      return try goods(of: claim, entry, by: statement, isNew: true)
    case .keep:
      guard let claim else { return .refused(.notInProof) }
      return try goods(of: renewed(claim, by: entry), entry, by: statement, isNew: false)
    case .transfer(let owner):
      guard var claim else { return .refused(.notInProof) }
      try transaction.require(.customer(owner))
      if statement.isRevoked {
        // It ends where it is.
        _ = try transaction.settle(claim, by: statement, settings.refundPolicy, now)
        return .refused(.refunded(statement.date))
      }
      let held = try transaction.entitlement(
        of: owner, app: proof.app, product: claim.product, source: claim.source)
      // What an operator took back does not come back with another installation.
      if held?.endReason == .revoked { return .refused(.revoked) }
      try transaction.endEntitlement(
        of: owner, app: proof.app, product: claim.product, source: claim.source, .transferred, now)
      try transaction.endDeliveries(of: owner, app: proof.app, source: claim.source, now)
      try transaction.record(transferOf: claim.key, from: owner, to: claimant.customer, now)
      claim = claim.moved(to: claimant.customer)
      try transaction.update(claim)
      return try goods(of: renewed(claim, by: entry), entry, by: statement, isNew: false)
    }
  }

  private func owner(of claim: Claim) throws -> ClaimDecision.Party {
    ClaimDecision.Party(
      customer: claim.customer, isIdentified: try !transaction.isAnonymous(claim.customer))
  }

  private func newClaim(_ entry: Entry) throws -> Claim {
    let quantity = Int64(entry.purchase.quantity)
    // Signed by the store, but not by arithmetic.
    let (given, overflow) = (entry.product.credits?.amount ?? 0).multipliedReportingOverflow(by: quantity)
    guard quantity >= 1, !overflow, given <= CreditAmount.largest else { throw LedgerError.amountOutOfRange(quantity) }
    return Claim(
      key: entry.claimKey, customer: claimant.customer, product: entry.product.id, type: entry.product.type,
      quantity: quantity, transactionID: entry.statementKey.id, ownership: entry.purchase.ownership,
      purchased: entry.purchase.originalPurchaseDate, claimed: now, accessUntil: entry.purchase.expiresDate,
      unit: entry.product.credits?.unit, given: given)
  }

  /// A later period of a subscription lets its customer in for longer.
  private func renewed(_ claim: Claim, by entry: Entry) throws -> Claim {
    guard let until = entry.purchase.expiresDate, claim.accessUntil.map({ until > $0 }) ?? false else { return claim }
    var claim = claim
    claim.accessUntil = until
    claim.transactionID = entry.statementKey.id
    try transaction.update(claim)
    return claim
  }

  // MARK: What it gives

  private func goods(
    of claim: Claim, _ entry: Entry, by statement: Statement, isNew: Bool
  ) throws -> RedeemedPurchase.Outcome {
    // An earlier period that was refunded says nothing of the one that gives access.
    let concerns = claim.transactionID == entry.statementKey.id
    let claim = concerns ? try transaction.settle(claim, by: statement, settings.refundPolicy, now) : claim
    if concerns, statement.isRevoked, claim.type.lasts || statement.percentage == 100_000 {
      return .refused(.refunded(statement.date))
    }
    var entitlement: LedgerEntitlement?
    if claim.type.lasts {
      entitlement = try transaction.entitlement(
        of: claim.customer, app: proof.app, product: claim.product, source: claim.source)
      if entitlement?.ended != nil { return .refused(.revoked) }
    }
    var delivery: UUID?
    if try transaction.contentVersion(of: claim.product, app: proof.app) ?? 0 > 0 {
      delivery = try transaction.deliver(
        claim.product, app: proof.app, source: claim.source, to: claim.customer, id: makeUUID(), now)
    }
    return .given(
      GivenGoods(
        claim: claim.key.id, claimed: claim.claimed, isNew: isNew,
        credits: claim.unit.map { LedgerProduct.Credits(unit: $0, amount: claim.given) }, entitlement: entitlement,
        delivery: delivery))
  }
}

extension ProvenPurchase {
  fileprivate func isNewer(than other: ProvenPurchase) -> Bool {
    if (revocation == nil) != (other.revocation == nil) { return revocation == nil }
    return (expiresDate ?? purchaseDate) > (other.expiresDate ?? other.purchaseDate)
  }
}

extension Claim {
  fileprivate func moved(to customer: CustomerID) -> Claim {
    Claim(
      key: key, customer: customer, product: product, type: type, quantity: quantity, transactionID: transactionID,
      ownership: ownership, purchased: purchased, claimed: claimed, accessUntil: accessUntil, unit: unit, given: given,
      taken: taken, shortfall: shortfall)
  }
}
