/// Why a download was cut off in the middle. The other end sees its connection end before all it was promised has come.
public enum DownloadCut: Error, Hashable, Sendable, CustomStringConvertible {
  /// The delivery ended while the download ran.
  case ended(reason: String)
  /// Nothing was taken for too long.
  case stalled
  /// It went on for too long.
  case overdue
  /// The server stops.
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
