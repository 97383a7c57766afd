import Foundation
import StoreModel

/// An exclusive lock on a file, held by this process through a lock file beside it.
///
/// SQLite's own locks are POSIX record locks. A process loses them when it closes any other descriptor of the same
/// file, for instance after reading a copy of its own database. `flock` on a separate file has no such gap, and ends
/// with the process.
///
/// The lock file contains the id of the process that holds the lock.
package final class FileLock: Sendable {
  /// Identifies a lock file, whatever its path.
  private struct Identity: Hashable {
    let device: UInt64
    let file: UInt64

    init(_ descriptor: CInt) {
      var status = stat()
      fstat(descriptor, &status)
      (device, file) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// The lock files whose locks this process holds.
  private static let held = LockedValue<Set<Identity>>([])

  private let descriptor: CInt
  private let identity: Identity

  /// - Throws: ``DurableSQLiteError/inUse(path:by:)`` if the lock is held, also if this process holds it.
  package init(for url: URL) throws(DurableSQLiteError) {
    descriptor = open(url.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: url.path, reason: String(cString: strerror(errno)))
    }
    identity = Identity(descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let reason = String(cString: strerror(errno))
      let holder = Self.holder(of: identity, descriptor)
      close(descriptor)
      throw isHeld ? .inUse(path: url.path, by: holder) : .cannotOpen(path: url.path, reason: reason)
    }
    Self.held.withLock { _ = $0.insert(identity) }
    let text = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    // If this write fails, for example on a full disk, the lock still holds. The error in another process then does not
    // contain the id of this process.
    _ = pwrite(descriptor, text, text.count, 0)
  }

  private static func holder(of identity: Identity, _ descriptor: CInt) -> DurableSQLiteError.Holder {
    guard !held.withLock({ $0.contains(identity) }) else { return .thisProcess }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let id = Int32(text.prefix { $0.isNumber })
    // Another thread of this process may have the lock without being in `held` yet.
    return id == getpid() ? .thisProcess : .anotherProcess(id)
  }

  /// Releases the lock. Must not be called twice.
  package func release() {
    Self.held.withLock { _ = $0.remove(identity) }
    // Closing alone is not enough: a child process that another thread is starting shares the lock until its `exec`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
