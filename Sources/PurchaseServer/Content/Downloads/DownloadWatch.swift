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

/// The limits of a download.
public struct DownloadLimits: Hashable, Sendable {
  /// The number of bytes after which the server checks again whether the delivery has ended.
  public var recheckBytes: Int64
  /// The time without progress after which a download is ended. The progress is checked at intervals of this length,
  /// so a stalled download may continue for up to twice this time. The client can resume the download.
  public var idleMilliseconds: Int64
  /// The maximum duration of a response.
  public var longestMilliseconds: Int64
  /// How long running downloads may continue after the server was asked to stop.
  public var drainMilliseconds: Int64

  public init(
    recheckBytes: Int64 = 8 * 1024 * 1024, idleMilliseconds: Int64 = 120_000,
    longestMilliseconds: Int64 = 12 * 3_600_000, drainMilliseconds: Int64 = 10_000
  ) {
    self.recheckBytes = recheckBytes
    self.idleMilliseconds = idleMilliseconds
    self.longestMilliseconds = longestMilliseconds
    self.drainMilliseconds = drainMilliseconds
  }
}

/// The progress of a download, shared by the task that sends it and the task that watches it.
final class DownloadProgress: Sendable {
  private struct State: Sendable {
    var sentBytes: Int64 = 0
    var cut: DownloadCut?
  }

  private let state = LockedValue(State())

  /// The number of bytes that the connection has accepted.
  var sentBytes: Int64 { state.withLock { $0.sentBytes } }

  func add(_ bytes: Int64) { state.withLock { $0.sentBytes += bytes } }

  /// The first reason for which the download was cut.
  var cut: DownloadCut? { state.withLock { $0.cut } }

  func cut(_ cut: DownloadCut) { state.withLock { $0.cut = $0.cut ?? cut } }
}

/// Thrown when the server ends a running download. The client sees the connection end before the announced length is
/// reached.
public enum DownloadCut: DescribedError, Hashable, Sendable {
  /// The delivery has ended during the download.
  case ended(reason: String)
  /// The client has received nothing for too long.
  case stalled
  /// The download has taken too long.
  case overdue
  /// The server is stopping.
  case stopping

  public var description: String {
    switch self {
    case .ended(let reason): "The delivery has ended: \(reason)"
    case .stalled: "The reader took nothing for too long."
    case .overdue: "The download went on for too long."
    case .stopping: "The server is stopping."
    }
  }
}
