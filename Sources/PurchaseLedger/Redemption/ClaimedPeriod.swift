import StoreModel

/// A recorded period of an auto-renewable subscription.
struct ClaimedPeriod: Hashable, Sendable {
  let id: TransactionID
  let product: ProductID
  let purchased: StoreDate
  /// The expiration date, without a grace period.
  let accessUntil: StoreDate
  /// The date at which the store stated the expiration date.
  let stated: StoreDate
  let isRevoked: Bool
  /// Whether the product is in the catalog. The other periods give nothing.
  let isInCatalog: Bool

  /// Whether the period lasts a second or more. Dates of purchases have whole seconds, so a plan that was replaced in the
  /// second of its purchase does not.
  private var lasts: Bool { accessUntil.millisecondsSince1970 - purchased.millisecondsSince1970 >= 1000 }

  /// Of two plans with the same purchase date, one that was replaced at once comes first. If both last, the transaction
  /// ids decide.
  private func isEarlier(than other: ClaimedPeriod) -> Bool {
    (purchased, lasts ? 1 : 0, id) < (other.purchased, other.lasts ? 1 : 0, other.id)
  }

  /// Whether this period, which was refunded, replaced another one before its end.
  ///
  /// If the store stated the other one after this one was bought, it was not replaced: the store would have stated its
  /// earlier end. Of two periods with the same purchase date, the later one replaced the other.
  private func replaced(_ other: ClaimedPeriod) -> Bool {
    guard isRevoked, product != other.product, purchased < other.accessUntil else { return false }
    return purchased == other.purchased ? other.isEarlier(than: self) : purchased > max(other.purchased, other.stated)
  }

  /// Returns the newest unrevoked period; nil if there is none. After a plan change, this period belongs to another
  /// product.
  ///
  /// A plan that was replaced before its end is over, even if the new plan was refunded later. The result is then nil.
  static func current(of periods: [ClaimedPeriod]) -> ClaimedPeriod? {
    let unrevoked = periods.filter { !$0.isRevoked && $0.isInCatalog }
    guard let newest = unrevoked.max(by: { $0.isEarlier(than: $1) }) else { return nil }
    // A restored period can have a second transaction id. The one that lasts longer is used.
    let current = unrevoked.filter { $0.product == newest.product && $0.purchased == newest.purchased }
      .max { ($0.accessUntil, $0.id) < ($1.accessUntil, $1.id) }
    guard let current, !periods.contains(where: { $0.replaced(current) }) else { return nil }
    return current
  }
}
