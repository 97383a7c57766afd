import StoreModel

/// The non-renewing subscriptions that a transaction has given, ended or moved.
///
/// The access periods of several purchases of one product follow one another in the order of purchase, because each was paid
/// for. So a change moves the periods after it. They are computed once, at the end of the transaction: for each product from the
/// first changed purchase on, up to the first period that stays the same after the last one.
struct PassSchedule {
  /// The purchases of one product by one customer.
  struct Passes: Hashable {
    let customer: CustomerID
    let app: BundleID
    let product: ProductID
  }

  /// The place of a purchase in the order of access periods.
  struct Place: Hashable, Comparable {
    let purchased: StoreDate
    /// The source of the entitlement: the claim's id.
    let source: String

    static func < (left: Place, right: Place) -> Bool {
      (left.purchased, left.source) < (right.purchased, right.source)
    }
  }

  private(set) var changed: [Passes: Set<Place>] = [:]

  /// Notes that a claim was given to `customer`, or ended or taken from them. Claims of other types are ignored.
  mutating func note(_ claim: Claim, of customer: CustomerID) {
    guard claim.accessDays != nil else { return }
    let passes = Passes(customer: customer, app: claim.key.app, product: claim.product)
    changed[passes, default: []].insert(Place(purchased: claim.purchased, source: claim.source))
  }

  /// The changes by customer.
  var byCustomer: [CustomerID: PassSchedule] {
    changed.reduce(into: [:]) { $0[$1.key.customer, default: PassSchedule()].changed[$1.key] = $1.value }
  }

  mutating func formUnion(_ other: PassSchedule) {
    changed.merge(other.changed) { $0.union($1) }
  }

  /// The latest end of access: the last millisecond of the year 9999.
  private static let latestEnd = StoreDate(millisecondsSince1970: 253_402_300_799_999)

  /// Returns the end of an access period of `days` that begins at the purchase, or at the end of the period before it if that
  /// is later.
  static func end(purchased: StoreDate, days: Int64, after previous: StoreDate?) -> StoreDate {
    let (seconds, overflow) = days.multipliedReportingOverflow(by: 86_400)
    let begun = max(purchased, previous ?? purchased)
    return overflow ? latestEnd : min(begun.adding(seconds: seconds), latestEnd)
  }
}
