import Foundation

@testable import PurchaseServer

/// The download statuses of deliveries, in place of a ledger.
final class DeliveryStatuses: @unchecked Sendable {
  private let lock = NSLock()
  private var statuses: [UUID: DownloadStatus] = [:]
  private var lookups = 0
  private var ending: (after: Int, status: DownloadStatus)?

  /// The number of lookups so far.
  var lookupCount: Int { lock.withLock { lookups } }

  subscript(delivery: UUID) -> DownloadStatus {
    get { lock.withLock { statuses[delivery] ?? .unknown } }
    set { lock.withLock { statuses[delivery] = newValue } }
  }

  /// Answers all lookups with `status`, after `count` more lookups; nil ends that.
  func answer(_ status: DownloadStatus?, afterLookups count: Int = 0) {
    lock.withLock { ending = status.map { (lookups + count, $0) } }
  }

  func status(of link: DownloadLink) -> DownloadStatus {
    lock.withLock {
      lookups += 1
      if let ending, lookups > ending.after { return ending.status }
      return statuses[link.deliveryID] ?? .unknown
    }
  }
}
