/// A trigger that records each row that is inserted or updated as an event, in the commit of the change.
///
/// Expressions are SQL that both databases understand. `NEW` is the row after the change, `OLD` the one before.
struct EventTrigger: Sendable {
  /// A member of an event's details. Members that are null are left out.
  enum Detail: Sendable {
    case value(String, String)
    /// A number that is not 0 if the flag is set.
    case flag(String, String)
    case object(String, [Detail])
  }

  /// The name, unique in the ledger.
  let name: String
  let table: String
  /// The columns whose update is an event; nil for an insertion.
  var updated: [String]?
  /// The SQL condition under which a change is an event.
  var condition: String?
  /// An SQL expression.
  let kind: String
  /// The columns of the event, and their SQL expressions.
  var columns: [(name: String, value: String)]
  var details: [Detail] = []
  /// The version of the details.
  var version = 1

  /// The statements that create the trigger.
  func creation(_ dialect: SQLDialect) -> [String] {
    let event = updated.map { "UPDATE OF \($0.joined(separator: ", "))" } ?? "INSERT"
    switch dialect {
    case .sqlite:
      return [
        """
        CREATE TRIGGER ledger_event_\(name) AFTER \(event) ON \(table)\(condition.map { " WHEN \($0)" } ?? "")
        BEGIN
        \(insertion(dialect))
        END
        """
      ]
    case .postgreSQL:
      return [
        "CREATE FUNCTION \(function)",
        """
        CREATE TRIGGER ledger_event_\(name) AFTER \(event) ON \(table) FOR EACH ROW\(condition.map { " WHEN (\($0))" } ?? "")
        EXECUTE FUNCTION ledger_event_\(name)()
        """,
      ]
    }
  }

  /// The statements that replace the trigger of an earlier migration, which has the same name, table, event and condition.
  func replacement(_ dialect: SQLDialect) -> [String] {
    switch dialect {
    case .sqlite: ["DROP TRIGGER ledger_event_\(name)"] + creation(dialect)
    case .postgreSQL: ["CREATE OR REPLACE FUNCTION \(function)"]
    }
  }

  /// The function of the trigger in PostgreSQL.
  private var function: String {
    """
    ledger_event_\(name)() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    \(insertion(.postgreSQL))
    RETURN NULL;
    END $$
    """
  }

  private func insertion(_ dialect: SQLDialect) -> String {
    let values = columns(dialect)
    return """
      INSERT INTO ledger_event (\(values.map(\.name).joined(separator: ", ")))
      VALUES (\(values.map(\.value).joined(separator: ",\n  ")));
      """
  }

  /// The statement that records the rows that exist already, for a trigger of insertions. In PostgreSQL, these events are before all
  /// others of their era: also before those of transactions that began before the migration and wrote after it.
  ///
  /// - Parameters:
  ///   - replaced: other expressions for some columns.
  ///   - source: the rows, if they are not all rows of the table. One of its tables has the alias `NEW`.
  func filling(_ dialect: SQLDialect, replacing replaced: [String: String] = [:], from source: String? = nil) -> String
  {
    var values = columns(dialect).map { (name: $0.name, value: replaced[$0.name] ?? $0.value) }
    if dialect == .postgreSQL { values.append((name: "writer", value: "0")) }
    let rows = source ?? "\(table) AS NEW\(condition.map { " WHERE \($0)" } ?? "")"
    return """
      INSERT INTO ledger_event (\(values.map(\.name).joined(separator: ", ")), filled_in)
      SELECT \(values.map(\.value).joined(separator: ",\n  ")), 1
      FROM \(rows)
      """
  }

  private func columns(_ dialect: SQLDialect) -> [(name: String, value: String)] {
    var all = columns
    all.insert((name: "kind", value: kind), at: 0)
    all.insert((name: "version", value: "\(version)"), at: 1)
    if dialect == .postgreSQL {
      all.append((name: "era", value: dialect.era(ofGeneration: "(SELECT number FROM ledger_generation)")))
    }
    if !details.isEmpty { all.append((name: "details", value: dialect.json(details))) }
    return all
  }
}

extension SQLDialect {
  /// An expression for the era of rows that are written now: the generation, and the timeline of the PostgreSQL server.
  func era(ofGeneration generation: String) -> String {
    "\(generation) << 32 | ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint"
  }

  /// A condition that is true if two values differ, also if one of them is NULL.
  func differ(_ left: String, _ right: String) -> String {
    self == .sqlite ? "\(left) IS NOT \(right)" : "\(left) IS DISTINCT FROM \(right)"
  }

  /// An expression for the text of a JSON object without null members.
  fileprivate func json(_ details: [EventTrigger.Detail]) -> String {
    switch self {
    case .sqlite: "json_patch('{}', \(object(details)))"
    case .postgreSQL: "jsonb_strip_nulls(\(object(details)))::text"
    }
  }

  private func object(_ details: [EventTrigger.Detail]) -> String {
    let members = details.map { detail in
      switch detail {
      case .value(let name, let value): "'\(name)', \(value)"
      case .flag(let name, let value):
        self == .sqlite
          ? "'\(name)', json(CASE \(value) WHEN 0 THEN 'false' ELSE 'true' END)" : "'\(name)', (\(value) <> 0)"
      case .object(let name, let members): "'\(name)', \(object(members))"
      }
    }
    return "\(self == .sqlite ? "json_object" : "jsonb_build_object")(\(members.joined(separator: ", ")))"
  }
}
