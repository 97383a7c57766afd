import Logging
import NIOCore
import ServiceLifecycle
import StoreModel

/// Ends the connection of a download that holds on to the server for too long.
///
/// Whoever writes to a connection that nobody reads waits, with a file open, for as long as the connection lasts; so
/// it is the connection that is ended.
struct DownloadWatch: Sendable {
  let channel: any Channel
  let limits: DownloadLimits
  let clock: any MachineClock
  let logger: Logger

  /// Runs `send`, which tells its progress, within the limits.
  ///
  /// - Throws: ``DownloadCut`` if they were passed, else what `send` threw.
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
        // What the end of the connection made of a write is not why it ended.
        throw progress.cut ?? error
      }
    }
  }

  private func cut(_ cut: DownloadCut, _ progress: DownloadProgress) async {
    progress.cut(cut)
    await channel.abort(logger: logger)
  }
}
