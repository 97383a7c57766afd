import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel

// The attempts to one server.
extension NotificationWorker {
  /// The number of attempts that are read, and whose signatures are stored, at once.
  private static let batchSize = 64

  /// Makes the attempts that are due to one server, until there is none.
  func serve(_ server: String, _ receivers: [NotificationQueue.Receiver]) async {
    var hasFailed = false
    while !Task.isCancelled, !services.policy.value.hold {
      do {
        let batch = try await nextBatch(receivers)
        if batch.attempts.isEmpty { break }
        try await send(batch, to: server)
      } catch {
        // The store cannot be read or written.
        hasFailed = true
        break
      }
    }
    state.withLock { state in
      state.servers.remove(server)
      if hasFailed { state.hasFailed = true }
    }
    // An attempt may have become due after the last look. After a failure, `run` looks again later.
    signal.notify()
  }

  /// Reads the next attempts, and stores the signatures of those that have none yet.
  private func nextBatch(_ receivers: [NotificationQueue.Receiver]) async throws -> NotificationBatch {
    let newestFirst = services.policy.value.reorder
    let batch = try await services.database.read { work in
      // The addresses may have changed.
      let current = Set(try work.notificationQueue.receivers(besides: []).map(\.receiver))
      return NotificationBatch(
        attempts: try work.notificationQueue.due(
          for: receivers.filter(current.contains), newestFirst: newestFirst, besides: self.passedOver,
          limit: Self.batchSize),
        newestFirst: newestFirst, date: work.now)
    }
    _ = try await sign(batch.attempts.filter { $0.header == nil })
    return batch
  }

  /// Signs attempts, and stores the signatures, unless they were stored meanwhile. What cannot be signed has an error.
  func sign(_ unsigned: [NotificationQueue.Attempt]) async throws -> [NotificationQueue.Attempt] {
    if unsigned.isEmpty { return [] }
    let signed = try await TransactionSigner.onAllCores(unsigned) { [services] attempt in
      var attempt = attempt
      do {
        (attempt.header, attempt.row.signatures) = try attempt.row.signed(by: services.authority)
      } catch {
        attempt.signingError = "\(error)"
      }
      return attempt
    }
    try await services.database.write { try $0.notificationQueue.storeSignatures(signed) }
    return signed
  }

  /// Makes attempts in their order. Results are committed while the next attempt is made.
  private func send(_ batch: NotificationBatch, to server: String) async throws {
    var batch = batch
    var commit: Task<Void, any Error>?
    while let planned = batch.next() {
      // It must not be taken for one that is not due any more.
      if planned.isRepetition { try await commit?.value }
      let outcome: NotificationQueue.Outcome
      switch try await make(planned, at: server) {
      case .made(let result): outcome = result
      case .parked: continue
      // Since the batch was read, the address or the policy has changed, or the store was reset.
      case .putOff:
        try await commit?.value
        return
      }
      try await finish(commit, before: outcome)
      commit = Task { try await store(outcome) }
      batch.insertRepetition(of: outcome.attempt, after: outcome.result)
      for overtaken in try await parked(at: server) {
        guard case .made(let outcome) = try await make(overtaken, at: server) else { continue }
        try await finish(commit, before: outcome)
        try await store(outcome)
        state.withLock { _ = $0.parked.remove(overtaken.row.sequence) }
      }
    }
    try await commit?.value
  }

  /// The notifications that the one before has overtaken, with their present address.
  private func parked(at server: String) async throws -> [NotificationQueue.Attempt] {
    let parked = state.value.parked.sorted()
    if parked.isEmpty { return [] }
    let due = try await services.database.read { work in try parked.compactMap(work.notificationQueue.attempt) }
    state.withLock { state in
      // The others were given up, or belonged to the store before a reset.
      for gone in Set(parked).subtracting(due.map(\.row.sequence)) {
        state.parked.remove(gone)
        state.decided[gone] = nil
      }
    }
    return due.filter { $0.receiver.server == server }
  }

  /// Waits for the commit of an earlier result. After its failure, the attempt of `outcome` is made again as well.
  private func finish(_ commit: Task<Void, any Error>?, before outcome: NotificationQueue.Outcome) async throws {
    do {
      try await commit?.value
    } catch {
      leave(outcome.attempt.row.sequence)
      throw error
    }
  }

  /// Stores the result of an attempt. After that, another attempt of its notification can begin.
  private func store(_ outcome: NotificationQueue.Outcome) async throws {
    let sequence = outcome.attempt.row.sequence
    let hasMoved: Bool
    do {
      hasMoved = try await services.database.write { [state] work in
        try work.notificationQueue.store(outcome, resendDate: state.value.resendDates[sequence])
      }
    } catch {
      leave(sequence)
      throw error
    }
    leave(sequence)
    // The task of the new server waits for the end of this attempt.
    if hasMoved { signal.notify() }
  }
}

/// Attempts to one server that were read together.
private struct NotificationBatch {
  /// In the order in which they are made.
  var attempts: [NotificationQueue.Attempt]
  let newestFirst: Bool
  /// The date at which all of them were due.
  let date: StoreDate

  mutating func next() -> NotificationQueue.Attempt? { attempts.isEmpty ? nil : attempts.removeFirst() }

  /// Puts the repetition of a failed attempt in its place among the others. If that is behind them, it is read with the next batch.
  mutating func insertRepetition(of attempt: NotificationQueue.Attempt, after result: SendAttemptResult) {
    guard result != .success, let repetition = attempt.repetition, repetition.date <= date,
      let place = attempts.firstIndex(where: { isBefore(repetition, $0) })
    else { return }
    attempts.insert(repetition, at: place)
  }

  private func isBefore(_ one: NotificationQueue.Attempt, _ other: NotificationQueue.Attempt) -> Bool {
    let isEarlier = (one.date, one.row.sequence) < (other.date, other.row.sequence)
    return newestFirst ? !isEarlier : isEarlier
  }
}
