/// The key of ``Ledger/exportTurns``. There is one, so one page at a time is read for all exports of a server. Other
/// requests wait for at most one page, and exports use at most one connection and one processor.
enum ExportTurn: Hashable, Sendable {
  case page
}
