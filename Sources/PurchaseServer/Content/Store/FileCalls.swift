import DurableSQLite
import Foundation

/// The system calls of publishing. Tests replace them to observe them or to simulate errors, such as a full disk.
struct FileCalls: Sendable {
  /// `write(2)`.
  var write: @Sendable (_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int = {
    Foundation.write($0, $1, $2)
  }
  /// `fsync(2)` of a file.
  var sync: @Sendable (_ descriptor: CInt) -> CInt = { fsync($0) }
  /// `utimensat(2)`: sets the date of a file to the current date.
  var renew: @Sendable (_ path: String) -> CInt = { utimensat(AT_FDCWD, $0, nil, AT_SYMLINK_NOFOLLOW) }
  /// `rename(2)`.
  var rename: @Sendable (_ old: String, _ new: String) -> CInt = { Foundation.rename($0, $1) }
  /// Makes a folder's file names durable.
  var syncFolder: @Sendable (_ folder: URL) throws -> Void = { try DurableFolder.sync($0) }
}
