import StoreModel

/// Whether the server is about to stop, and the anchors of its ledger.
final class ServiceStatus: Sendable {
  let anchors: [String]
  private let stopping = LockedValue(false)

  init(anchors: [String]) { self.anchors = anchors }

  var isStopping: Bool {
    get { stopping.value }
    set { stopping.value = newValue }
  }
}
