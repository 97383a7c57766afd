/// Why a database was not opened, or is not to be used.
public enum DurableSQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process owns it.
  case inUse(path: String)
  /// A later version of this software wrote it.
  case newerVersion(path: String)
  /// It is not a database, or no longer one.
  case damaged(path: String, reason: String)
  case cannotOpen(path: String, reason: String)
  /// It was closed; whoever closed it wants nothing more of it.
  case closed(path: String)

  public var description: String {
    switch self {
    case .inUse(let path):
      "\(path) is in use by another process. End that process, or choose another folder."
    case .newerVersion(let path):
      "\(path) was written by a newer version of this software. Use that version, or choose another folder."
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)). Restore it from a backup, or choose another folder."
    case .cannotOpen(let path, let reason):
      "\(path) cannot be opened: \(reason)"
    case .closed(let path):
      "\(path) was closed."
    }
  }
}
