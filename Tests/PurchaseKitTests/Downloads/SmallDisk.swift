import Foundation
import StoreModel

@testable import PurchaseKit

/// A disk that is full after a number of bytes.
final class SmallDisk: Sendable {
  private let freeBytes: LockedValue<Int>

  init(bytes: Int) { freeBytes = LockedValue(bytes) }

  func disk(free: Int64) -> ContentDisk {
    ContentDisk(
      freeBytes: { _ in free },
      write: { descriptor, bytes in
        self.freeBytes.withLock { freeBytes in
          guard freeBytes > 0 else {
            errno = ENOSPC
            return -1
          }
          let count = write(descriptor, bytes.baseAddress, min(freeBytes, bytes.count))
          freeBytes -= count
          return count
        }
      })
  }
}
