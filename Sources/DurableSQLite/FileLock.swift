import Foundation

/// An exclusive lock on a file, held by this process through a lock file beside it.
///
/// SQLite's own locks are POSIX record locks. A process loses them when it closes any other descriptor of the same
/// file, for instance after reading a copy of its own database. `flock` on a separate file has no such gap, and ends
/// with the process.
package final class FileLock: Sendable {
  private let descriptor: CInt

  /// - Throws: ``DurableSQLiteError/inUse(path:)`` if the lock is held, also if this process holds it.
  package init(for url: URL) throws(DurableSQLiteError) {
    descriptor = open(url.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: url.path, reason: String(cString: strerror(errno)))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw isHeld ? .inUse(path: url.path) : .cannotOpen(path: url.path, reason: reason)
    }
  }

  /// Releases the lock. Must not be called twice.
  package func release() {
    // Closing alone is not enough: a child process that another thread is starting shares the lock until its `exec`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
