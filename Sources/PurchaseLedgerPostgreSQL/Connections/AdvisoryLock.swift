import Crypto
import PurchaseLedger

/// An advisory lock of PostgreSQL, which is identified by a number and released at the end of the transaction.
struct AdvisoryLock: Hashable, Comparable {
  let number: Int64

  init(number: Int64) { self.number = number }

  /// Derives the number from a name: the first 64 bits of the SHA-256 of "openstorekit " and the name. If two names have the same
  /// number, their transactions wait for each other without need, but remain correct.
  init(_ name: String) {
    let digest = SHA256.hash(data: Array("openstorekit \(name)".utf8))
    number = digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The lock of schema migrations.
  static let migrations = AdvisoryLock("migrations")

  /// Returns locks in ascending order of their numbers. All transactions use this order, which prevents deadlocks.
  static func sorted(_ locks: Set<LedgerLock>) -> [AdvisoryLock] { all(locks).sorted() }

  static func all(_ locks: Set<LedgerLock>) -> Set<AdvisoryLock> { Set(locks.map { AdvisoryLock($0.name) }) }

  /// A statement that takes locks one by one, in the order of its argument. PostgreSQL's planner does not reorder the
  /// elements of an array that a function in the FROM clause returns.
  static let statement = "SELECT pg_advisory_xact_lock(number) FROM unnest($1::text::bigint[]) AS number"

  /// A statement that takes the locks that are free, without waiting for the others. It returns a row for each lock:
  /// whether it is held now.
  static let statementWithoutWaiting = """
    SELECT number, pg_try_advisory_xact_lock(number)::int::bigint AS held FROM unnest($1::text::bigint[]) AS number
    """

  /// The argument of both statements.
  static func argument(_ locks: [AdvisoryLock]) -> SQLValue {
    .text("{" + locks.map { "\($0.number)" }.joined(separator: ",") + "}")
  }

  static func < (left: AdvisoryLock, right: AdvisoryLock) -> Bool { left.number < right.number }
}
