import GRDB

/// The revisions of records: numbers that grow with each change that a signed payload shows.
/// Documentation/store-events.md describes them.
enum Revisions {
  /// Takes the next number. It is larger than all revisions so far.
  static func take(_ database: Database) throws -> Int64 {
    let statement = try database.cachedStatement(
      sql: "UPDATE store SET nextRevision = nextRevision + 1 RETURNING nextRevision")
    guard let next = try Int64.fetchOne(statement) else { throw AppStoreEmulatorError.storeNotCreated }
    return next - 1
  }
}

extension StoredTransaction {
  /// Stores a change that the signed payload shows, and takes the next revision for it.
  mutating func revise(_ database: Database) throws {
    record.revision = try Revisions.take(database)
    try update(database)
  }
}
