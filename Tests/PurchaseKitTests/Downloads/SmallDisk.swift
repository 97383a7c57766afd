import Foundation

@testable import PurchaseKit

/// A disk that is full after a number of bytes.
final class SmallDisk: @unchecked Sendable {
  private let lock = NSLock()
  private var freeBytes: Int

  init(bytes: Int) { freeBytes = bytes }

  func disk(free: Int64) -> ContentDisk {
    ContentDisk(
      freeBytes: { _ in free },
      write: { descriptor, bytes in
        self.lock.withLock {
          guard self.freeBytes > 0 else {
            errno = ENOSPC
            return -1
          }
          let count = write(descriptor, bytes.baseAddress, min(self.freeBytes, bytes.count))
          self.freeBytes -= count
          return count
        }
      })
  }
}
