import StoreModel

/// The generations of the ledger's events (Documentation/ledger-events.md, "Order and cursor"). A new one begins with each
/// incarnation that the ledger notices: then the numbers of events, or those of PostgreSQL's transactions, have begun at earlier ones
/// again.
extension LedgerTransaction {
  /// Begins a new generation, unless the present one began with the stored incarnation in this copy of the database.
  ///
  /// - Parameter id: identifies the generation in cursors: 16 hexadecimal digits.
  func beginGenerationIfNeeded(id: String, _ now: StoreDate) throws {
    let row = try row(
      """
      SELECT g.number, g.incarnation, g.copy, f.value, c.identity
      FROM ledger_generation g CROSS JOIN ledger_fact f CROSS JOIN ledger_copy c WHERE f.name = 'incarnation'
      """)
    guard let row else { throw LedgerDatabaseError.unexpectedRow("the ledger's generation is not there") }
    let (number, incarnation) = (try row.integer("number"), try row.text("value"))
    // Without the timeline of PostgreSQL, which each event has.
    let copy = try row.text("identity").split(separator: "/").enumerated().filter { $0.offset != 1 }.map(\.element)
      .joined(separator: "/")
    guard let known = try row.optionalText("incarnation") else {
      try execute(
        "UPDATE ledger_generation SET incarnation = $1, copy = $2 WHERE incarnation IS NULL", incarnation, copy)
      return
    }
    guard try known != incarnation || row.optionalText("copy") != copy else { return }
    // Another server may have begun it first; then no row has the number any more.
    try execute(
      """
      UPDATE ledger_generation SET number = number + 1, ids = ids || ' ' || $2, begun = $3, incarnation = $4, copy = $5
      WHERE number = $1
      """, number, id, now, incarnation, copy)
  }
}
