import Foundation

/// Whether the server is about to stop, and what it stands for.
final class ServiceStanding: @unchecked Sendable {
  /// The ledger's.
  let anchors: [String]
  private let lock = NSLock()
  private var stopping = false

  init(anchors: [String]) { self.anchors = anchors }

  var isStopping: Bool {
    get { lock.withLock { stopping } }
    set { lock.withLock { stopping = newValue } }
  }
}
