import GRDB

extension Error {
  /// Whether the disk of the store's database is full, read-only or broken. Nothing was changed, and the same call can succeed
  /// later.
  package var isStoreDiskFailure: Bool {
    guard let error = self as? DatabaseError else { return false }
    return [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode)
  }
}
