import Foundation
import PurchaseKit

/// A reachability without delays. It records the number of failures of each wait.
final class EagerReachability: Reachability, @unchecked Sendable {
  private let lock = NSLock()
  private var waits: [Int] = []

  var all: [Int] { lock.withLock { waits } }
  func waitBeforeRetry(afterFailures failures: Int) async { lock.withLock { waits.append(failures) } }
}
