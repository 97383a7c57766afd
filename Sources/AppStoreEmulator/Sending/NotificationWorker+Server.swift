import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel

// The attempts to one server.
extension NotificationWorker {
  /// The number of attempts that are read, and whose signatures are stored, at once.
  private static let batchSize = 64

  /// The time until an attempt ends without an answer.
  static let timeout = Duration.seconds(30)

  /// Makes the attempts that are due to one server, until there is none.
  func serve(_ server: String, _ receivers: [NotificationQueue.Receiver]) async {
    var hasFailed = false
    while !Task.isCancelled, !services.policy.value.hold {
      do {
        let batch = try await nextBatch(receivers)
        if batch.isEmpty { break }
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
  private func nextBatch(_ receivers: [NotificationQueue.Receiver]) async throws -> [NotificationQueue.Attempt] {
    let (parked, policy) = (waitingToBeOvertaken, services.policy.value)
    var batch = try await services.database.read { work in
      // The addresses may have changed.
      let current = Set(try work.notificationQueue.receivers(besides: []).map(\.receiver))
      return try work.notificationQueue.due(
        for: receivers.filter(current.contains), newestFirst: policy.reorder, besides: parked, limit: Self.batchSize)
    }
    let unsigned = batch.filter { $0.header == nil }
    guard !unsigned.isEmpty else { return batch }
    let signed = try await TransactionSigner.onAllCores(unsigned) { [services] attempt in
      var attempt = attempt
      // What cannot be signed stays unsigned, and fails.
      if let (header, signatures, payload) = try? attempt.row.signed(by: services.authority) {
        (attempt.header, attempt.row.signatures, attempt.newPayload) = (header, signatures, payload)
      }
      return attempt
    }
    try await services.database.write { try $0.notificationQueue.storeSignatures(signed) }
    let bySequence = Dictionary(uniqueKeysWithValues: signed.map { ($0.row.sequence, $0) })
    for index in batch.indices { batch[index] = bySequence[batch[index].row.sequence] ?? batch[index] }
    return batch
  }

  /// Makes attempts in their order. Results are committed while the next attempt is made.
  ///
  /// Ends early after an attempt that will be repeated: the repetition may be due before the others.
  private func send(_ batch: [NotificationQueue.Attempt], to server: String) async throws {
    var commit: Task<Void, any Error>?
    for attempt in batch {
      if Task.isCancelled || services.policy.value.hold { break }
      // The address may have been removed or changed, or the store been reset, since the batch was read.
      guard try await isStillDue(attempt) else { break }
      let delivery = await delivery(of: attempt)
      if case .success(let delivery) = delivery, delivery.isOvertaken {
        state.withLock { $0.parked[attempt.row.sequence] = attempt }
        continue
      }
      let result = await result(of: attempt, delivery)
      if Task.isCancelled, result.result != .success { break }
      try await commit?.value
      commit = Task { [services] in try await services.database.write { try $0.notificationQueue.store([result]) } }
      if result.result != .success, attempt.receiver.environment == .production { break }
      for overtaken in state.withLock({ $0.parked(for: server) }) {
        let result = await self.result(of: overtaken, .success(NotificationDelivery()))
        try await commit?.value
        try await services.database.write { try $0.notificationQueue.store([result]) }
        state.withLock { $0.parked[overtaken.row.sequence] = nil }
      }
    }
    try await commit?.value
  }

  private func isStillDue(_ attempt: NotificationQueue.Attempt) async throws -> Bool {
    try await services.database.read { try $0.notificationQueue.isDue(attempt) }
  }

  /// How an attempt is made, by the policy and the faults; or the error of a fault.
  private func delivery(of attempt: NotificationQueue.Attempt) async -> Result<NotificationDelivery, any Error> {
    let policy = services.policy.value
    var usual = NotificationDelivery()
    usual.copies = policy.drop ? 0 : policy.duplicate ? 2 : 1
    usual.delayMilliseconds = policy.delayMilliseconds
    let operation = NotificationOperation(notification: attempt.row, productID: attempt.productID, usual: usual)
    do {
      return .success(try await services.pipeline.run(operation, for: nil))
    } catch {
      return .failure(error)
    }
  }

  private func result(
    of attempt: NotificationQueue.Attempt, _ delivery: Result<NotificationDelivery, any Error>
  ) async -> NotificationQueue.Outcome {
    func failed(_ result: SendAttemptResult, _ detail: String) -> NotificationQueue.Outcome {
      NotificationQueue.Outcome(attempt: attempt, result: result, detail: detail)
    }
    guard let payload = attempt.signedPayload else {
      return failed(.other, "the store's certificates cannot sign at \(attempt.row.signedDate)")
    }
    let way: NotificationDelivery
    switch delivery {
    case .success(let delivery): way = delivery
    case .failure(let error): return failed(.noResponse, "\(error)")
    }
    if way.delayMilliseconds > 0 {
      try? await services.clock.machine.sleep(for: .milliseconds(way.delayMilliseconds))
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
        return .failure(NotificationFailure(.timedOut, "there was no answer within \(Self.timeout)"))
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
