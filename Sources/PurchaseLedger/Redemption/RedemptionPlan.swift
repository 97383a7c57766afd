import StoreModel

/// The parts of a redemption. Each is redeemed in a transaction of its own, so that other writes wait for a limited number of
/// purchases only.
///
/// All purchases with one original transaction id are in one part.
struct RedemptionPlan {
  /// The maximum number of purchases in a part. Only a subscription with more periods makes a larger one.
  static let mostPurchases = 128

  /// A purchase to redeem.
  struct Item {
    /// The index of the result among the results of all parts.
    let place: Int
    /// The id in the request; nil to redeem everything that is owned.
    let requested: RedemptionRequest.Item?
    /// The purchases of which one is redeemed; empty if the proof has no such purchase.
    let candidates: [ProvenPurchase]
  }

  struct Part {
    var items: [Item] = []
    /// All purchases with the original transaction ids of this part.
    var purchases: [ProvenPurchase] = []

    fileprivate mutating func add(_ unit: Unit) {
      items += unit.items
      purchases += unit.purchases
    }
  }

  /// The purchases with one original transaction id.
  fileprivate struct Unit {
    var items: [Item] = []
    let purchases: [ProvenPurchase]
    /// Whether an earlier redemption has done everything.
    let isRedeemed: Bool

    /// Whether the purchase was redeemed before, whether it is ended, and when it was bought.
    var order: (isRedeemed: Int, isActive: Int, milliseconds: Int64) {
      let date = purchases.first?.originalPurchaseDate.millisecondsSince1970 ?? 0
      return purchases.newest?.revocation == nil
        ? (isRedeemed ? 1 : 0, 1, date) : (isRedeemed ? 1 : 0, 0, -date)
    }
  }

  /// At least one part.
  let parts: [Part]

  /// - Parameters:
  ///   - request: the purchases to redeem. Refunds in the proof are recorded even if they are not requested.
  ///   - redeemed: the original transaction ids of purchases that a repetition would not change. They come last, so that
  ///     repeated requests whose time is too short for everything give all purchases nevertheless.
  init(_ proof: VerifiedProof, _ request: RedemptionRequest, redeemed: Set<TransactionID> = []) {
    let proven = ProvenPurchases(proof)
    var units: [TransactionID: Unit] = [:]
    var order: [TransactionID] = []
    func add(_ item: Item?, _ original: TransactionID) {
      if units[original] == nil {
        order.append(original)
        units[original] = Unit(
          purchases: proven.all(original: original), isRedeemed: redeemed.contains(original))
      }
      if let item { units[original]?.items.append(item) }
    }
    switch request {
    case .purchases(let items):
      for (place, item) in items.enumerated() {
        let purchase = proven.purchase(item.transactionID)
        add(
          Item(place: place, requested: item, candidates: purchase.map { [$0] } ?? []),
          purchase?.originalTransactionID ?? item.transactionID)
      }
    case .everythingOwned:
      for purchase in proof.purchases where units[purchase.originalTransactionID] == nil {
        let original = purchase.originalTransactionID
        add(Item(place: order.count, requested: nil, candidates: proven.all(original: original)), original)
      }
    }
    for purchase in proof.purchases where purchase.revocation != nil { add(nil, purchase.originalTransactionID) }
    parts = Self.parts(order.compactMap { units[$0] })
  }

  /// The parts in which the statuses of all purchases of a proof are recorded.
  init(recording proof: VerifiedProof) {
    let proven = ProvenPurchases(proof)
    var known: Set<TransactionID> = []
    let originals = proof.purchases.map(\.originalTransactionID).filter { known.insert($0).inserted }
    parts = Self.parts(originals.map { Unit(purchases: proven.all(original: $0), isRedeemed: false) })
  }

  /// Divides units into parts.
  ///
  /// If there are several parts, the purchases that have ended come first, newest first, then the others, oldest first. Those
  /// that were redeemed before follow in the same order. In this order, a change moves the fewest access periods of other parts (``PassSchedule``).
  private static func parts(_ units: [Unit]) -> [Part] {
    let isOne = units.reduce(0) { $0 + max($1.purchases.count, 1) } <= mostPurchases
    var parts: [Part] = []
    var part = Part()
    var count = 0
    for unit in isOne ? units : units.sorted(by: { $0.order < $1.order }) {
      let size = max(unit.purchases.count, 1)
      if count > 0, count + size > mostPurchases {
        parts.append(part)
        (part, count) = (Part(), 0)
      }
      part.add(unit)
      count += size
    }
    return parts + [part]
  }
}
