import Foundation
import PurchaseKit
import StoreModel

/// A retry schedule without pauses. It records the number of failures of each wait.
final class EagerRetry: RetrySchedule {
  private let waits = LockedValue<[Int]>([])

  var all: [Int] { waits.value }
  func wait(afterFailures failures: Int) async { waits.withLock { $0.append(failures) } }
}
