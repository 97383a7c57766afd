import GRDB

extension DatabaseError {
  /// Whether the disk is full or read-only, or cannot be read or written. Nothing was changed, and the same call can succeed later.
  ///
  /// A failed read is one only after ``GRDB/Database/namingReadFault(_:)``, which ``DurableDatabase`` and ``DurableSQLite`` call.
  package var isOfStorage: Bool {
    // A disk that was made read-only after a fault is reported as SQLITE_READONLY.
    [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN].contains(resultCode)
  }
}
