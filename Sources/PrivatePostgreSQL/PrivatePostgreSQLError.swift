import StoreModel

/// Thrown when a test server cannot be started, or refuses a command.
public enum PrivatePostgreSQLError: DescribedError {
  /// PostgreSQL is neither in Debian's folder nor in `PATH`.
  case notInstalled
  case notStarted(String)
  case refused(String)

  public var description: String {
    switch self {
    case .notInstalled: "PostgreSQL's server is not installed: apt-get install postgresql (or make system)"
    case .notStarted(let reason): "A PostgreSQL server could not be started: \(reason)"
    case .refused(let reason): "PostgreSQL refused: \(reason)"
    }
  }
}
