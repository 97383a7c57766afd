import StoreModel

/// Thrown when the server ends a running download. The client sees the connection end before the announced length is
/// reached.
public enum DownloadCut: DescribedError, Hashable, Sendable {
  /// The delivery has ended during the download.
  case ended(reason: String)
  /// The client has received nothing for too long.
  case stalled
  /// The download has taken too long.
  case overdue
  /// The server is stopping.
  case stopping

  public var description: String {
    switch self {
    case .ended(let reason): "The delivery has ended: \(reason)"
    case .stalled: "The reader took nothing for too long."
    case .overdue: "The download went on for too long."
    case .stopping: "The server is stopping."
    }
  }
}
