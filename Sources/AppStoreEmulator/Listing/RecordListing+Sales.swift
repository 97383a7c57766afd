import GRDB
import StoreModel

extension RecordListing {
  /// The sums of the charges and refunds of the transactions that match `filter`.
  ///
  /// `total` does not fail on an overflow as `sum` does. Its result is exact up to 9 trillion units of a currency, and is
  /// clamped to `Int64`.
  ///
  /// - Parameter earlier: an earlier result for the same filter. Only rows that were added since then are read, so the
  ///   filter must not select by something that changes, such as the state.
  func sales(_ filter: RecordFilter, continuing earlier: HourlySales?) throws -> HourlySales {
    var filter = filter
    filter.before = nil
    var sales = earlier.flatMap { $0.epoch == work.epoch ? $0 : nil } ?? HourlySales(epoch: work.epoch)
    let rows = try SQLRequest<Row>(
      """
      SELECT hour, currency, sum(purchases) AS purchases, CAST(total(charged) AS INTEGER) AS charged,
        CAST(total(refunded) AS INTEGER) AS refunded
      FROM (
        SELECT date / 3600000 AS hour, currency, count(*) AS purchases, total(amount) AS charged, 0 AS refunded
        FROM charge WHERE rowid > \(sales.lastCharge) AND \(literal: filter.rowConditions(numbered: "rowid"))
        GROUP BY hour, currency
        UNION ALL
        SELECT date / 3600000 AS hour, currency, 0, 0, total(amount)
        FROM refund WHERE sequence > \(sales.lastRefund) AND \(literal: filter.rowConditions(numbered: "sequence"))
        GROUP BY hour, currency)
      GROUP BY hour, currency
      """
    ).fetchAll(work.database)
    for row in rows {
      sales.sums[HourlySales.Key(hour: row["hour"], currency: row["currency"]), default: HourlySales.Sums()] +=
        HourlySales.Sums(
          purchases: row["purchases"], charged: Milliunits(row["charged"] as Int64),
          refunded: Milliunits(row["refunded"] as Int64))
    }
    sales.lastCharge = try Int64.fetchOne(work.database, sql: "SELECT max(rowid) FROM charge") ?? 0
    sales.lastRefund = try Int64.fetchOne(work.database, sql: "SELECT max(sequence) FROM refund") ?? 0
    return sales
  }
}
