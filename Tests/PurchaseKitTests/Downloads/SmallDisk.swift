import Foundation

@testable import PurchaseKit

/// A disk that is full after a number of bytes.
final class SmallDisk: @unchecked Sendable {
  private let lock = NSLock()
  private var room: Int

  init(bytes: Int) { room = bytes }

  func disk(free: Int64) -> ContentDisk {
    ContentDisk(
      freeBytes: { _ in free },
      write: { descriptor, bytes in
        self.lock.withLock {
          guard self.room > 0 else {
            errno = ENOSPC
            return -1
          }
          let count = write(descriptor, bytes.baseAddress, min(self.room, bytes.count))
          self.room -= count
          return count
        }
      })
  }
}
