import DurableSQLite
import Foundation

/// What publishing asks of the system. A test watches it, or lets it fail as a full disk does.
struct FileCalls: Sendable {
  /// `write(2)`.
  var write: @Sendable (_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int = {
    Foundation.write($0, $1, $2)
  }
  /// `fsync(2)` of a file.
  var sync: @Sendable (_ descriptor: CInt) -> CInt = { fsync($0) }
  /// Gives a file the date of now: `utimensat(2)`.
  var renew: @Sendable (_ path: String) -> CInt = { utimensat(AT_FDCWD, $0, nil, AT_SYMLINK_NOFOLLOW) }
  /// `rename(2)`.
  var rename: @Sendable (_ old: String, _ new: String) -> CInt = { Foundation.rename($0, $1) }
  /// Makes durable which names are in a folder.
  var syncFolder: @Sendable (_ folder: URL) throws -> Void = { try DurableFolder.sync($0) }
}
