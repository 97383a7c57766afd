import Foundation

/// Holds a file for this process, through a lock file beside it.
///
/// SQLite's own locks are POSIX record locks, which a process loses as soon as it closes any other descriptor of the same
/// file: reading a copy of one's own database is enough. `flock` on a file that nobody else opens has no such hole, and
/// is released however the process ends.
package final class FileLock: Sendable {
  private let descriptor: CInt

  /// - Throws: ``DurableSQLiteError/inUse(path:)`` if it is held, also by this very process.
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

  /// Gives it free. Not to be called twice.
  package func release() {
    // Closing alone is not enough: a child process that another thread is starting shares the lock until it has begun.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
