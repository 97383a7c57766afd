import GRDB
import StoreModel

/// Rows of one kind that wait for a date, such as approvals that time out. A conforming type settles them in a unit of
/// work that has that date.
protocol DueRows: SendableMetatype {
  init(work: StoreUnitOfWork)

  /// The earliest date at which a row is due; nil if no row waits for a date. The query must use an index.
  static func earliestDate(in database: Database) throws -> StoreDate?

  /// Settles one row that is due at the earliest date. The row then no longer waits for that date.
  func settleEarliest() throws

  /// Called when ``settleEarliest()`` has failed. Removes the date of one row that is due at the earliest date, or sets
  /// a later date.
  func postponeEarliest() throws
}

extension DueRows {
  /// The earliest date in a column that is null while nothing is due.
  ///
  /// - Parameter column: a column with an index of the rows in which it is not null.
  static func earliestDate(of column: String, in table: String, _ database: Database) throws -> StoreDate? {
    let statement = try database.cachedStatement(
      sql: "SELECT min(\(column)) FROM \(table) WHERE \(column) IS NOT NULL")
    return try Int64.fetchOne(statement).map(StoreDate.init(millisecondsSince1970:))
  }
}

/// All kinds of due rows, and the order in which they are settled: by date, and at one date in the order of the kinds.
struct DueSchedule: Sendable {
  let kinds: [any DueRows.Type]

  /// The earliest date at which a row is due, and its kind.
  func next(in database: Database) throws -> (date: StoreDate, kind: any DueRows.Type)? {
    var next: (date: StoreDate, kind: any DueRows.Type)?
    for kind in kinds {
      guard let date = try kind.earliestDate(in: database) else { continue }
      if next.map({ date < $0.date }) ?? true { next = (date, kind) }
    }
    return next
  }
}
