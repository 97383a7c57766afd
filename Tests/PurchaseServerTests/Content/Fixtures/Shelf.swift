import Foundation

@testable import PurchaseServer

/// The download statuses of deliveries, in place of a ledger.
final class Shelf: @unchecked Sendable {
  private let lock = NSLock()
  private var standings: [UUID: DownloadStatus] = [:]
  private var lookups = 0
  private var ending: (after: Int, standing: DownloadStatus)?

  /// The number of lookups so far.
  var lookupCount: Int { lock.withLock { lookups } }

  subscript(delivery: UUID) -> DownloadStatus {
    get { lock.withLock { standings[delivery] ?? .unknown } }
    set { lock.withLock { standings[delivery] = newValue } }
  }

  /// Answers all lookups with `standing`, after `count` more lookups; nil ends that.
  func answer(_ standing: DownloadStatus?, afterLookups count: Int = 0) {
    lock.withLock { ending = standing.map { (lookups + count, $0) } }
  }

  func standing(of link: DownloadLink) -> DownloadStatus {
    lock.withLock {
      lookups += 1
      if let ending, lookups > ending.after { return ending.standing }
      return standings[link.deliveryID] ?? .unknown
    }
  }
}
