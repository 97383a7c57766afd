/// The indexes with which charts read a range of dates, and with which the events of periods find the newest one. Documentation/charts.md
/// says what they cost.
///
/// Each migration changes one table, so it holds no lock while it waits for another one.
extension LedgerSchema {
  static func migrationsOfCharts(_ dialect: SQLDialect) -> [Migration] {
    // In SQLite, an index of a table WITHOUT ROWID ends with the columns of the primary key; PostgreSQL needs the id written out.
    let id = dialect == .postgreSQL ? ", id" : ""
    return [
      Migration(
        name: "26 ends of periods",
        statements: ["CREATE INDEX claim_period_end ON claim_period (app, environment, access_until\(id))"]),
      Migration(
        name: "27 dates of refunds",
        statements: ["CREATE INDEX statement_refunded ON statement (app, environment, date\(id)) WHERE revoked = 1"]),
      // Without it, each new period would be compared with all others of its subscription.
      Migration(
        name: "28 purchase dates of periods",
        statements: ["CREATE INDEX claim_period_purchased ON claim_period (app, environment, claim, purchased)"]),
    ]
  }
}
