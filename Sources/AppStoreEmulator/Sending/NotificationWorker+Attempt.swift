import AppStoreServerAPI
import Foundation
import StoreModel

// One attempt: from the decision how it is made to its result.
extension NotificationWorker {
  enum Progress {
    /// No other attempt of the notification begins until its result is stored.
    case made(NotificationQueue.Outcome)
    /// It is made after the next one to its server.
    case parked
    /// It is not made now: it is not due any more, it is held, or it is made elsewhere.
    case putOff
  }

  /// The time until an attempt ends without an answer.
  static let timeout = Duration.seconds(30)

  /// Makes an attempt as its notification, its address, the policy and the faults are at the moment of sending.
  ///
  /// - Parameter planned: the attempt as it was read before.
  func make(_ planned: NotificationQueue.Attempt, at server: String) async throws -> Progress {
    let sequence = planned.row.sequence
    guard enter(sequence) else { return .putOff }
    do {
      let progress = try await madeAlone(planned, at: server)
      if case .made = progress { return progress }
      leave(sequence)
      // Another server's task may wait for it.
      if case .putOff = progress { signal.notify() }
      return progress
    } catch {
      leave(sequence)
      throw error
    }
  }

  private func madeAlone(_ planned: NotificationQueue.Attempt, at server: String) async throws -> Progress {
    let sequence = planned.row.sequence
    guard !isStopped, let first = try await current(sequence, at: server), first.date == planned.date else {
      return .putOff
    }
    let earlier = state.withLock { $0.decided.removeValue(forKey: sequence) }
    var decision: Result<NotificationDelivery, any Error>
    if let earlier { decision = earlier } else { decision = await decided(first) }
    if case .success(var delivery) = decision, delivery.isOvertaken {
      delivery.isOvertaken = false
      decision = .success(delivery)
      state.withLock { state in
        state.decided[sequence] = decision
        state.parked.insert(sequence)
      }
      return .parked
    }
    try await wait(before: sequence, at: server, decision)
    // A resend that was asked for before this moment is this attempt.
    state.withLock { $0.resendDates[sequence] = nil }
    let attempt = try await current(sequence, at: server)
    guard !isStopped, let attempt else {
      // The faults have decided; they are not asked again.
      state.withLock { $0.decided[sequence] = decision }
      return .putOff
    }
    let outcome = await outcome(of: try await signed(attempt), decision)
    return Task.isCancelled && outcome.result != .success ? .putOff : .made(outcome)
  }

  private var isStopped: Bool { Task.isCancelled || services.policy.value.hold }

  /// The attempt of a notification as it is now; nil if none is due at the server.
  private func current(_ sequence: Int64, at server: String) async throws -> NotificationQueue.Attempt? {
    let attempt = try await services.database.read { try $0.notificationQueue.attempt(sequence) }
    return attempt?.receiver.server == server ? attempt : nil
  }

  /// The attempt with its stored signatures. They are stored already, unless it could not be signed.
  private func signed(_ attempt: NotificationQueue.Attempt) async throws -> NotificationQueue.Attempt {
    guard attempt.header == nil, let signed = try await sign([attempt]).first else { return attempt }
    return signed
  }

  private func enter(_ sequence: Int64) -> Bool {
    state.withLock { $0.underWay.insert(sequence).inserted }
  }

  /// Allows another attempt of a notification.
  func leave(_ sequence: Int64) {
    state.withLock { state in
      state.underWay.remove(sequence)
      state.resendDates[sequence] = nil
    }
  }

  // MARK: Policy and faults

  /// What the faults decide about an attempt; or the error of a fault.
  private func decided(_ attempt: NotificationQueue.Attempt) async -> Result<NotificationDelivery, any Error> {
    let operation = NotificationOperation(
      notification: attempt.row, productID: attempt.productID, usual: NotificationDelivery())
    do {
      return .success(try await services.pipeline.run(operation, for: nil))
    } catch {
      return .failure(error)
    }
  }

  /// How an attempt is made: by the decision of the faults, and by the policy of now.
  private func way(_ decision: NotificationDelivery) -> NotificationDelivery {
    let policy = services.policy.value
    var way = decision
    if !services.faults.contains(NotificationLateFault.self) { way.delayMilliseconds = 0 }
    way.delayMilliseconds += policy.delayMilliseconds
    if decision.copies == NotificationDelivery().copies { way.copies = policy.drop ? 0 : policy.duplicate ? 2 : 1 }
    return way
  }

  /// Waits as long as the policy and the faults say, and at most until the attempt is not to be made any more.
  private func wait(
    before sequence: Int64, at server: String, _ decision: Result<NotificationDelivery, any Error>
  ) async throws {
    guard case .success(let decision) = decision else { return }
    let machine = services.clock.machine
    let begin = machine.nanoseconds
    var waited: Int64 = 0
    while !isStopped, !signal.isClosed {
      let count = signal.count
      let delay = way(decision).delayMilliseconds
      guard waited < delay, try await current(sequence, at: server) != nil else { return }
      let left = Duration.milliseconds(Int64(delay) - waited)
      let isOver = try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          try? await machine.sleep(for: left)
          return true
        }
        group.addTask { [self] in
          try await untilChange(of: delay, decision, sequence, at: server, after: count)
          return false
        }
        defer { group.cancelAll() }
        return try await group.next() ?? true
      }
      if isOver { return }
      waited = (machine.nanoseconds - begin) / 1_000_000
    }
  }

  /// Returns when an attempt has another delay, or is not to be made any more.
  private func untilChange(
    of delay: Int, _ decision: NotificationDelivery, _ sequence: Int64, at server: String, after count: Int
  ) async throws {
    var count = count
    while !Task.isCancelled, !signal.isClosed {
      await signal.wait(beyond: count, seconds: 86_400)
      count = signal.count
      if isStopped || way(decision).delayMilliseconds != delay { return }
      if try await current(sequence, at: server) == nil { return }
    }
  }

  // MARK: Sending

  private func outcome(
    of attempt: NotificationQueue.Attempt, _ decision: Result<NotificationDelivery, any Error>
  ) async -> NotificationQueue.Outcome {
    func failed(_ result: SendAttemptResult, _ detail: String) -> NotificationQueue.Outcome {
      NotificationQueue.Outcome(attempt: attempt, result: result, detail: detail)
    }
    guard let payload = attempt.signedPayload else {
      return failed(.other, "it cannot be signed: \(attempt.signingError ?? "its signatures are damaged")")
    }
    let way: NotificationDelivery
    switch decision {
    case .success(let delivery): way = self.way(delivery)
    case .failure(let error): return failed(.noResponse, "\(error)")
    }
    guard way.copies > 0 else { return failed(.noResponse, "the policy or a fault has lost it") }
    // The JWS needs no escapes in JSON.
    let whole = Data(#"{"signedPayload":"\#(payload)"}"#.utf8)
    let body = way.isTruncated ? whole.prefix(whole.count / 2) : whole
    var results: [NotificationQueue.Outcome] = []
    for _ in 0..<way.copies { results.append(await post(body, attempt)) }
    return results.first { $0.result == .success } ?? results[0]
  }

  /// Posts once, with the timeout.
  private func post(_ body: Data, _ attempt: NotificationQueue.Attempt) async -> NotificationQueue.Outcome {
    let (transport, machine, url) = (transport, services.clock.machine, attempt.receiver.url)
    let answer = await withTaskGroup(of: Result<NotificationAnswer, NotificationFailure>?.self) { group in
      group.addTask {
        do throws(NotificationFailure) {
          return .success(try await transport.post(body, to: url))
        } catch {
          return .failure(error)
        }
      }
      group.addTask {
        do { try await machine.sleep(for: Self.timeout) } catch { return nil }
        return .failure(NotificationFailure(.timedOut, "there was no answer within 30 seconds"))
      }
      defer { group.cancelAll() }
      for await result in group { if let result { return result } }
      return .failure(NotificationFailure(.other, "the store was closed"))
    }
    switch answer {
    case .success(let answer):
      return NotificationQueue.Outcome(
        attempt: attempt, result: answer.isSuccess ? .success : .unsuccessfulHTTPResponseCode,
        httpStatus: answer.status, detail: answer.isSuccess ? nil : "the server answered with HTTP \(answer.status)",
        answer: answer.body.isEmpty ? nil : String(decoding: answer.body.prefix(Self.keptAnswer), as: UTF8.self))
    case .failure(let failure):
      return NotificationQueue.Outcome(attempt: attempt, result: failure.result, detail: failure.reason)
    }
  }

  /// The number of bytes that are stored of an answer.
  private static let keptAnswer = 2_048
}
