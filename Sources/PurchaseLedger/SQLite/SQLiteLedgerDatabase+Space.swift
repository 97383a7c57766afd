import Foundation

extension SQLiteLedgerDatabase {
  /// The free space that the write-ahead log needs for a burst of purchases, in bytes.
  static let spaceNeeded: UInt64 = 1 << 20

  public func checkSpace() async throws {
    let path = try await read { try $0.row("PRAGMA database_list")?.optionalText("file") ?? "" }
    // A database in memory has no file.
    guard !path.isEmpty else { return }
    var status = statvfs()
    // Some file systems do not report their size. Then only the write in `Ledger.checkWritable()` shows that there is
    // space.
    guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    guard free >= Self.spaceNeeded else {
      throw LedgerDatabaseError.full(reason: "only \(free) bytes are free where the ledger is; make room")
    }
  }
}
