import Crypto
import PurchaseLedger

/// A lock of PostgreSQL's that belongs to no row and is let go of with its transaction. It is known by a number.
struct AdvisoryLock: Hashable, Comparable {
  let number: Int64

  /// The first 64 bits of the SHA-256 of "openstorekit " and the name. Two names of one number only wait for each other
  /// without need.
  init(_ name: String) {
    let digest = SHA256.hash(data: Array("openstorekit \(name)".utf8))
    number = digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Held while the schema is changed.
  static let migrations = AdvisoryLock("migrations")

  /// In one order for everybody, so that no two transactions wait for each other.
  static func inOrder(_ locks: Set<LedgerLock>) -> [AdvisoryLock] {
    Set(locks.map { AdvisoryLock($0.name) }).sorted()
  }

  /// Takes them one by one, in the order given: that of an array's elements, as a function in the FROM clause gives them,
  /// is not the planner's to change.
  static func statement(_ locks: [AdvisoryLock]) -> String {
    let numbers = locks.map { "\($0.number)" }.joined(separator: ",")
    return "SELECT pg_advisory_xact_lock(number) FROM unnest('{\(numbers)}'::bigint[]) AS number"
  }

  static func < (left: AdvisoryLock, right: AdvisoryLock) -> Bool { left.number < right.number }
}
