import Foundation
import PurchaseKit
import StoreModel

/// A retry schedule without pauses. It records the number of failures of each wait.
final class EagerRetry: RetrySchedule, @unchecked Sendable {
  private let lock = NSLock()
  private var waits: [Int] = []

  var all: [Int] { lock.withLock { waits } }
  func wait(afterFailures failures: Int) async { lock.withLock { waits.append(failures) } }
}
