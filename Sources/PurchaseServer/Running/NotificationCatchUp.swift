import AppStoreServerAPI
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Reads the App Store's notification history, when the server starts and then at intervals, and records the notifications that
/// were lost (Documentation/app-store-updates.md).
///
/// One server of a ledger reads the history of an app and environment at a time.
struct NotificationCatchUp: Service {
  /// A history: the notifications of an app in one environment.
  struct History: Sendable {
    let app: BundleID
    let environment: StoreEnvironment
    let client: AppStoreServerAPIClient
  }

  /// The result of reading a history.
  enum Outcome: Hashable, Sendable {
    /// - Parameter received: the number of notifications that were not known.
    case read(received: Int)
    /// Another server reads it, or a server has stopped while it did.
    case held(seconds: Int64)
    /// It could not be read completely. The next run reads it again.
    case failed
  }

  let receiver: NotificationReceiver
  let histories: [History]
  /// The pause between two runs, in minutes; 0 to read nothing.
  let minutes: Int64
  /// Updates the clock of the store; nil if it needs no update.
  var refreshClock: (@Sendable () async -> Void)?
  var clock: any MachineClock = SystemClock()
  let logger: Logger

  private var ledger: Ledger { receiver.ledger }

  /// The overlap with the run before, in seconds: for clocks that differ, and notifications that the history shows late.
  private static let overlapSeconds: Int64 = 3_600
  /// A run reads the history in parts of this length, and goes on after the last complete one if it is interrupted.
  private static let windowSeconds: Int64 = 86_400

  func run() async throws {
    guard minutes > 0, !histories.isEmpty else {
      try? await gracefulShutdown()
      return
    }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let pause = await readAll()
        do {
          try await clock.sleep(for: .seconds(pause))
        } catch {
          return
        }
      }
    }
  }

  /// Reads all histories, one after the other.
  ///
  /// - Returns: the pause before the next run, in seconds. It is shorter if another run holds a history, because a server that was
  ///   killed holds it until its lease is over.
  func readAll() async -> Int64 {
    var pause = minutes * 60
    for history in histories where !Task.isCancelled {
      if case .held(let seconds) = await read(history) { pause = min(pause, seconds) }
    }
    return pause
  }

  /// Reads a history from the end of the last complete run. Failures are logged.
  func read(_ history: History) async -> Outcome {
    do {
      await refreshClock?()
      switch try await ledger.takeCursor(.notificationHistory, of: history.app, in: history.environment) {
      case .held(let seconds): return .held(seconds: seconds)
      case .taken(let cursor):
        do {
          let outcome = try await read(history, from: cursor)
          if case .read = outcome { receiver.metrics.store.noteAnswer(about: history.app, at: clock.now) }
          return outcome
        } catch {
          try? await ledger.release(cursor)
          throw error
        }
      }
    } catch {
      guard !Task.isCancelled else { return .failed }
      // An error of the database is none of the store, and may name hosts and users.
      if !(error is LedgerDatabaseError) {
        receiver.metrics.noteStoreFailure(
          of: history.app, "The notification history of \(history.environment.lowercaseName): \(error)",
          at: clock.now)
      }
      logger.warning(
        "The notification history could not be read",
        metadata: ["app": "\(history.app)", "environment": "\(history.environment)", "error": "\(error)"])
      return .failed
    }
  }

  private func read(_ history: History, from cursor: StoreCursor) async throws -> Outcome {
    let end = ledger.now
    let oldest = end.adding(seconds: -(NotificationHistoryRequest.longestDays * 86_400 - Self.overlapSeconds))
    let start = max(min(cursor.position, end).adding(seconds: -Self.overlapSeconds), oldest)
    var counts = Counts()
    var position = start
    while position < end {
      let next = min(position.adding(seconds: Self.windowSeconds), end)
      guard try await read(history, from: position, to: next, with: cursor, &counts) else { return .failed }
      try Task.checkCancellation()
      // If the server stops before a commit of the position, the next run reads the same pages, which changes nothing.
      if counts.unverified == 0, next < end {
        guard try await ledger.extend(cursor, readTo: next) else { return .failed }
      }
      position = next
    }
    if counts.received > 0 {
      logger.notice(
        "Notifications were read from the history",
        metadata: [
          "app": "\(history.app)", "environment": "\(history.environment)",
          "count": .stringConvertible(counts.received),
        ])
    }
    guard counts.unverified == 0 else { throw IncompleteHistory(unverified: counts.unverified) }
    try await ledger.advance(cursor, to: end)
    return .read(received: counts.received)
  }

  /// Reads all pages of a window.
  ///
  /// - Returns: false if another run has taken the cursor.
  private func read(
    _ history: History, from start: StoreDate, to end: StoreDate, with cursor: StoreCursor, _ counts: inout Counts
  ) async throws -> Bool {
    let pages = history.client.signedNotificationHistory(
      NotificationHistoryRequest(startDate: start, endDate: end), in: history.environment)
    for try await page in pages {
      guard try await ledger.extend(cursor) else { return false }
      for item in page.notifications { try await receive(item, of: history, &counts) }
    }
    return true
  }

  /// Records one notification. One that is refused is logged and left out, so that it does not hide the others.
  private func receive(_ item: NotificationHistoryItem, of history: History, _ counts: inout Counts) async throws {
    do {
      let outcome = try await receiver.receive(item.signedPayload, of: history.app, from: .history, logger)
      if outcome != .known { counts.received += 1 }
    } catch let refusal as ProofRefusal {
      try Task.checkCancellation()
      if refusal.isTemporary { counts.unverified += 1 }
    }
  }
}

/// What a run has read.
private struct Counts {
  /// The number of notifications that were not known.
  var received = 0
  /// The number of notifications that cannot be verified now. The next run reads them again.
  var unverified = 0
}

/// Thrown at the end of a run that could not verify everything.
private struct IncompleteHistory: Error, CustomStringConvertible {
  let unverified: Int

  var description: String { "Notifications that cannot be verified now: \(unverified). The next run reads them again." }
}
