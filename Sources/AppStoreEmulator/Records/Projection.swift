import GRDB

/// A stored projection of the events, and how far it has come. Its row changes in the commits in which its events are recorded.
enum Projection: String, CaseIterable {
  /// The table `deviceChange`: see ``DeviceFeed``.
  case deviceFeed
  /// The table `notification`: see ``NotificationOutbox``.
  case notifications

  /// The sequence number of the last event that the projection contains, and that of the last row that is not made from
  /// events of this epoch.
  func position(_ database: Database) throws -> (eventCursor: Int64, start: Int64) {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT eventCursor, start FROM projection WHERE name = ?"), arguments: [rawValue])
    return (row?["eventCursor"] ?? 0, row?["start"] ?? 0)
  }

  /// Notes that all projections contain the events up to `sequence`, which this commit has recorded.
  static func advanceAll(to sequence: Int64, in database: Database) throws {
    try database.cachedStatement(sql: "UPDATE projection SET eventCursor = max(eventCursor, ?)").execute(
      arguments: [sequence])
  }

  /// Notes that this projection contains the events up to `sequence`. The others may lack some of them.
  func advance(to sequence: Int64, in database: Database) throws {
    try database.cachedStatement(sql: "UPDATE projection SET eventCursor = max(eventCursor, ?) WHERE name = ?").execute(
      arguments: [sequence, rawValue])
  }

  /// Notes that the present rows, and the present events, are of an earlier epoch: no projection makes rows of these events
  /// any more. One that does, such as a count, is set back to 0 after it.
  static func restart(in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE projection SET
          eventCursor = (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'storeEvent'),
          start = (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'deviceChange')
        """)
  }
}
