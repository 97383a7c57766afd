import StoreModel

/// The non-renewing subscriptions that a transaction has given, ended or moved.
///
/// The access periods of several purchases of one product follow one another in the order of purchase, because each was paid
/// for. So a change moves the periods after it. They are computed once, at the end of the transaction: for each product from the
/// first changed purchase on, up to the first period that stays the same after the last one. If a redemption has several
/// transactions, some are computed after the last one (``LedgerTransaction/noteUnscheduled(_:for:)``).
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

  mutating func note(_ place: Place, of passes: Passes) { changed[passes, default: []].insert(place) }

  /// Notes only the product. The unscheduled changes are added when the schedule is applied.
  mutating func note(_ passes: Passes) { changed[passes, default: []].formUnion([]) }

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
