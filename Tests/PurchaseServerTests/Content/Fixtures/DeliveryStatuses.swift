import Foundation
import StoreModel

@testable import PurchaseServer

/// The download statuses of deliveries, in place of a ledger.
final class DeliveryStatuses: Sendable {
  private struct State: Sendable {
    var statuses: [UUID: DownloadStatus] = [:]
    var lookups = 0
    var ending: (after: Int, status: DownloadStatus)?
  }

  private let state = LockedValue(State())

  /// The number of lookups so far.
  var lookupCount: Int { state.withLock { $0.lookups } }

  subscript(delivery: UUID) -> DownloadStatus {
    get { state.withLock { $0.statuses[delivery] ?? .unknown } }
    set { state.withLock { $0.statuses[delivery] = newValue } }
  }

  /// Answers all lookups with `status`, after `count` more lookups; nil ends that.
  func answer(_ status: DownloadStatus?, afterLookups count: Int = 0) {
    state.withLock { state in state.ending = status.map { (state.lookups + count, $0) } }
  }

  func status(of link: DownloadLink) -> DownloadStatus {
    state.withLock { state in
      state.lookups += 1
      if let ending = state.ending, state.lookups > ending.after { return ending.status }
      return state.statuses[link.deliveryID] ?? .unknown
    }
  }
}
