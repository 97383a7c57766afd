import StoreModel

/// Thrown when a database or a durable file cannot be opened or used.
public enum DurableSQLiteError: DescribedError, Hashable, Sendable {
  /// The file is open in another process, or in another object of this process.
  case inUse(path: String, by: Holder = .anotherProcess(nil))
  /// The file has migrations that are unknown to this version of the software.
  case newerVersion(path: String)
  /// The file is not a database, or its content is damaged.
  case damaged(path: String, reason: String)
  case cannotOpen(path: String, reason: String)
  /// The database was used after it had been closed.
  case closed(path: String)

  /// The owner of a file's lock.
  public enum Holder: Hashable, Sendable {
    /// An object of this process that was not closed.
    case thisProcess
    /// Another process, with its id if it is known.
    case anotherProcess(Int32?)
  }

  public var description: String {
    switch self {
    case .inUse(let path, .thisProcess):
      "\(path) is in use by this process: an object that was not closed still holds it. Close that object first."
    case .inUse(let path, .anotherProcess(let id)):
      "\(path) is in use by another process\(id.map { " (\($0))" } ?? ""). End that process, or choose another folder."
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
