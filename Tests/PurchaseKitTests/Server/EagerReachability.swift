import Foundation
import PurchaseKit

/// Lets everything be asked again at once, and counts.
final class EagerReachability: Reachability, @unchecked Sendable {
  private let lock = NSLock()
  private var waits: [Int] = []

  var all: [Int] { lock.withLock { waits } }
  func waitUntilWorthAsking(afterFailures failures: Int) async { lock.withLock { waits.append(failures) } }
}
