import Foundation
import GRDB
import GRDBSQLite

/// Errors of the operating system while SQLite reads a database.
///
/// SQLite reports a read that failed (`EIO`, `ENXIO`, `ERANGE`) as a damaged database, `SQLITE_CORRUPT`, although the file may be
/// sound. Only the file's last `errno` shows the difference.
extension Database {
  /// Returns the result of `body`. If it throws `SQLITE_CORRUPT` because a file could not be read, throws `SQLITE_IOERR_READ`
  /// instead.
  func namingReadFaults<Value>(_ body: (Database) throws -> Value) throws -> Value {
    do {
      return try body(self)
    } catch let error as DatabaseError {
      throw namingReadFault(error)
    }
  }

  /// Returns the error, or `SQLITE_IOERR_READ` if it is `SQLITE_CORRUPT` because a file could not be read.
  ///
  /// Call it on the connection that reported the error, before its next statement.
  package func namingReadFault(_ error: DatabaseError) -> DatabaseError {
    guard [.SQLITE_CORRUPT, .SQLITE_IOERR].contains(error.resultCode) else { return error }
    let fault = takeReadFault()
    return error.resultCode == .SQLITE_CORRUPT ? fault ?? error : error
  }

  /// Returns the problems that SQLite finds in the whole database; at most one, and none if the database is sound.
  ///
  /// - Throws: `SQLITE_IOERR_READ` if a file could not be read: SQLite's check reports that as a problem of the content.
  func integrityFault() throws -> String? {
    let faults = try String.fetchAll(self, sql: "PRAGMA integrity_check(1)")
    guard faults != ["ok"] else { return nil }
    if let fault = takeReadFault() { throw fault }
    return faults.first ?? "it cannot be checked"
  }

  /// Returns the error of the last read if it failed, and forgets it, so that it does not explain a later error.
  private func takeReadFault() -> DatabaseError? {
    var fault: DatabaseError?
    for file in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].compactMap(openFile) {
      var number: Int32 = 0
      guard let methods = file.pointee.pMethods?.pointee,
        methods.xFileControl?(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK,
        [EIO, ENXIO, ERANGE].contains(number)
      else { continue }
      fault = DatabaseError(
        resultCode: .SQLITE_IOERR_READ, message: "a file cannot be read: \(String(cString: strerror(number)))")
      // SQLite sets the number to 0 only when it reads behind the end of the file.
      var byte: UInt8 = 0
      _ = methods.xRead?(file, &byte, 1, 1 << 50)
    }
    return fault
  }

  /// Returns the database file, or the file of its journal; nil if it is not open.
  private func openFile(_ operation: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard let connection = sqliteConnection, sqlite3_file_control(connection, "main", operation, &file) == SQLITE_OK
    else { return nil }
    return file
  }
}

extension DatabaseError {
  /// Whether the disk is full or read-only, or cannot be read or written. Nothing was changed, and the same call can succeed later.
  ///
  /// A failed read is one only after ``GRDB/Database/namingReadFault(_:)``, which ``DurableDatabase`` and ``DurableSQLite`` call.
  package var isOfStorage: Bool {
    // A disk that was made read-only after a fault is reported as SQLITE_READONLY.
    [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN].contains(resultCode)
  }
}
