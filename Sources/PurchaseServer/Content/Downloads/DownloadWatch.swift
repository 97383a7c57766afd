import Logging
import NIOCore
import ServiceLifecycle
import StoreModel

/// Closes the connection of a download that exceeds its limits.
///
/// A task that writes to a connection waits as long as the client does not read, and keeps a file open. Only closing
/// the connection ends the wait.
struct DownloadWatch: Sendable {
  let channel: any Channel
  let limits: DownloadLimits
  let clock: any MachineClock
  let logger: Logger

  /// Runs `send`, which reports its progress, within the limits.
  ///
  /// - Throws: ``DownloadCut`` if a limit was exceeded, otherwise the error of `send`.
  func watching(_ send: (DownloadProgress) async throws -> Void) async throws {
    let progress = DownloadProgress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await clock.sleep(for: .milliseconds(limits.longestMilliseconds))
        await cut(.overdue, progress)
      }
      group.addTask {
        var seen: Int64
        repeat {
          seen = progress.sentBytes
          try await clock.sleep(for: .milliseconds(limits.idleMilliseconds))
        } while progress.sentBytes != seen
        await cut(.stalled, progress)
      }
      group.addTask {
        try await gracefulShutdown()
        try await clock.sleep(for: .milliseconds(limits.drainMilliseconds))
        await cut(.stopping, progress)
      }
      do {
        try await send(progress)
      } catch let cut as DownloadCut {
        await self.cut(cut, progress)
        throw cut
      } catch {
        // If this watch closed the connection, its reason is thrown instead of the error of the failed write.
        throw progress.cut ?? error
      }
    }
  }

  private func cut(_ cut: DownloadCut, _ progress: DownloadProgress) async {
    progress.cut(cut)
    await channel.abort(logger: logger)
  }
}
