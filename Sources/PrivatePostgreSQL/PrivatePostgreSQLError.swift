/// Why there is no server, or what it refused.
public enum PrivatePostgreSQLError: Error, CustomStringConvertible {
  /// PostgreSQL is not installed where Debian or `PATH` would have it.
  case notInstalled
  case notStarted(String)
  case refused(String)

  public var description: String {
    switch self {
    case .notInstalled: "PostgreSQL's server is not installed: apt-get install postgresql (or make system)"
    case .notStarted(let words): "A PostgreSQL server could not be started: \(words)"
    case .refused(let words): "PostgreSQL refused: \(words)"
    }
  }
}
