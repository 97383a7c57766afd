import GRDB
import StoreModel

extension RecordListing {
  /// The sums of the charges and refunds of the transactions that match `filter`.
  ///
  /// - Parameter earlier: an earlier result for the same filter. Only rows that were added since then are read, so the
  ///   filter must not select by something that changes, such as the state.
  func sales(_ filter: RecordFilter, continuing earlier: HourlySales?) throws -> HourlySales {
    var filter = filter
    filter.before = nil
    var sales = earlier.flatMap { $0.epoch == work.epoch ? $0 : nil } ?? HourlySales(epoch: work.epoch)
    let amount = ExactSum.sql(of: "amount", as: "amount")
    let rows = try SQLRequest<Row>(
      """
      SELECT date / 3600000 AS hour, currency, FALSE AS isRefund, count(*) AS count, \(sql: amount)
      FROM charge WHERE rowid > \(sales.lastCharge) AND \(literal: filter.rowConditions(numbered: "rowid"))
      GROUP BY hour, currency
      UNION ALL
      SELECT date / 3600000 AS hour, currency, TRUE AS isRefund, count(*) AS count, \(sql: amount)
      FROM refund WHERE sequence > \(sales.lastRefund) AND \(literal: filter.rowConditions(numbered: "sequence"))
      GROUP BY hour, currency
      """
    ).fetchCursor(work.database)
    while let row = try rows.next() {
      let (isRefund, sum): (Bool, Milliunits) = (row["isRefund"], ExactSum.value("amount", in: row))
      sales.sums[HourlySales.Key(hour: row["hour"], currency: row["currency"]), default: HourlySales.Sums()] +=
        HourlySales.Sums(
          purchases: isRefund ? 0 : row["count"], charged: isRefund ? .zero : sum, refunded: isRefund ? sum : .zero)
    }
    sales.lastCharge = try Int64.fetchOne(work.database, sql: "SELECT max(rowid) FROM charge") ?? 0
    sales.lastRefund = try Int64.fetchOne(work.database, sql: "SELECT max(sequence) FROM refund") ?? 0
    return sales
  }
}
