import AppStoreServerAPI
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Answers the App Store's requests for information about consumption, within their deadlines
/// (Documentation/app-store-updates.md).
///
/// It begins when a request is recorded or an operator answers one, and when one is due. One server of a ledger works on a request
/// at a time.
struct ConsumptionResponder: Service {
  let ledger: Ledger
  /// The clients of the apps that have a key.
  let clients: [BundleID: AppStoreServerAPIClient]
  let metrics: ServiceMetrics
  /// Updates the clock of the store; nil if it needs no update.
  var refreshClock: (@Sendable () async -> Void)?
  var clock: any MachineClock = SystemClock()
  let logger: Logger

  /// The longest wait, in seconds. Another server of the ledger may have stopped after it had recorded a request.
  static let longestWaitSeconds = 900.0
  /// The wait after an error of the ledger, in seconds.
  static let errorWaitSeconds = 30.0
  /// How long the calls for one request may take, in seconds. It is less than ``ConsumptionLease/seconds``.
  private static let callSeconds = 60

  func run() async throws {
    guard !clients.isEmpty else {
      try? await gracefulShutdown()
      return
    }
    let changes = ledger.consumptionChanges
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let count = changes.count
        await changes.wait(beyond: count, seconds: await answerAll())
      }
    }
  }

  /// Works on all requests that are due, one after the other.
  ///
  /// - Returns: the time until the next one is due, in seconds.
  func answerAll() async -> Double {
    do {
      await refreshClock?()
      while let lease = try await ledger.takeConsumptionRequest() {
        try await work(on: lease)
        try Task.checkCancellation()
      }
      guard let due = try await ledger.nextConsumptionDue() else { return Self.longestWaitSeconds }
      let milliseconds = due.millisecondsSince1970 - clock.now.millisecondsSince1970
      return min(Self.longestWaitSeconds, max(1, Double(milliseconds) / 1_000))
    } catch {
      if !Task.isCancelled {
        logger.error("Consumption requests could not be answered", metadata: ["error": "\(error)"])
      }
      return Self.errorWaitSeconds
    }
  }

  private func work(on lease: ConsumptionLease) async throws {
    let result: ConsumptionResult =
      switch try await ledger.step(for: lease) {
      case .send(let values, let date): try await send(values, consented: date, for: lease)
      case .hold(let state): .held(state)
      case .leave: .left
      case .end: .ended
      }
    guard let state = try await ledger.settle(lease, result) else { return }
    report(result, state, of: lease)
  }

  /// Sends an answer. If this server is killed before the result is stored, the answer is sent again after the lease: the App Store
  /// keeps the last one.
  private func send(
    _ values: ConsumptionValues, consented date: StoreDate, for lease: ConsumptionLease
  ) async throws -> ConsumptionResult {
    guard let client = clients[lease.app] else {
      return .failed(problem: "This server has no key of the App Store Server API for the app.", retryAfterSeconds: 0)
    }
    do {
      try await client.limited(totalTimeoutSeconds: Self.callSeconds).send(
        SendConsumptionInformation(transactionId: lease.transaction, values.request), in: lease.environment)
      metrics.store.noteAnswer(about: lease.app, at: clock.now)
      return .accepted(values, consented: date)
    } catch let error as ServerAPIClientError {
      guard error.isFinal else {
        metrics.noteStoreFailure(of: lease.app, "A consumption request: \(error)", at: clock.now)
        return .failed(problem: error.storedText, retryAfterSeconds: error.retryAfterSeconds)
      }
      metrics.store.noteAnswer(about: lease.app, at: clock.now)
      return .refused(problem: error.storedText)
    }
  }

  /// The log has no transaction id, because the store can say whose it is.
  private func report(_ result: ConsumptionResult, _ state: ConsumptionState, of lease: ConsumptionLease) {
    var metadata: Logger.Metadata = [
      "app": "\(lease.app)", "notification": "\(lease.uuid)", "state": "\(state.rawValue)",
    ]
    switch result {
    case .accepted:
      metrics.countConsumptionRequest(state.rawValue)
      logger.info("A consumption request was answered", metadata: metadata)
    case .refused(let problem):
      metrics.countConsumptionRequest(state.rawValue)
      metadata["problem"] = "\(problem.debugDescription)"
      logger.error("The App Store refused the answer to a consumption request", metadata: metadata)
    case .failed(let problem, _):
      metrics.countConsumptionRequest("failed")
      metadata["problem"] = "\(problem.debugDescription)"
      logger.warning("A consumption request could not be answered. It is tried again.", metadata: metadata)
    case .held: break
    case .left where state != .closed: break
    case .left, .ended:
      metrics.countConsumptionRequest(state.rawValue)
      if state == .expired {
        logger.warning("A consumption request was not answered within its twelve hours", metadata: metadata)
      }
    }
  }
}

extension ServerAPIClientError {
  /// Whether the store would refuse the same answer again.
  fileprivate var isFinal: Bool {
    guard case .refused(let error) = self else { return false }
    return !error.isRetryable && (400..<500).contains(error.httpStatus) && error.httpStatus != 429
  }

  /// The description, as the ledger stores it: it can contain any text that was answered.
  fileprivate var storedText: String { String(description.replacing("\0", with: "").prefix(500)) }

  /// The pause that the store asks for, in seconds; 0 if it asks for none.
  fileprivate var retryAfterSeconds: Int64 {
    guard case .paused(let seconds) = self else { return 0 }
    return Int64(seconds)
  }
}
