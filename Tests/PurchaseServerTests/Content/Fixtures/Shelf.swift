import Foundation

@testable import PurchaseServer

/// What may be downloaded, in place of the ledger.
final class Shelf: @unchecked Sendable {
  private let lock = NSLock()
  private var standings: [UUID: DownloadStatus] = [:]
  private var lookups = 0
  private var ending: (after: Int, standing: DownloadStatus)?

  /// How often it was asked.
  var lookupCount: Int { lock.withLock { lookups } }

  subscript(delivery: UUID) -> DownloadStatus {
    get { lock.withLock { standings[delivery] ?? .unknown } }
    set { lock.withLock { standings[delivery] = newValue } }
  }

  /// Answers so from a certain lookup on, counted from now; nil to stop that.
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
