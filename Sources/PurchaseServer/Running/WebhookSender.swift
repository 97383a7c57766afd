import Foundation
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Makes messages of new events, and sends those that are due to the receivers of webhooks (Documentation/webhooks.md).
///
/// It looks for new events every second, and at once when a webhook was changed or an attempt has ended. So redemptions and spends do
/// nothing for webhooks. One server of a ledger sends a message at a time.
struct WebhookSender: Service {
  let ledger: Ledger
  let transport: WebhookTransport
  let metrics: ServiceMetrics
  var clock: any MachineClock = SystemClock()
  let logger: Logger

  /// The maximum number of attempts of this server that are under way. Each webhook has a smaller one (``Webhook/mostUnderWay``).
  static let mostUnderWay = 64
  /// The pause between two looks for new events, in seconds.
  static let pollSeconds = 1.0
  /// The pause after an error of the ledger, in seconds.
  static let errorWaitSeconds = 30.0

  /// What ``begin(in:_:)`` has done.
  struct Pass: Sendable {
    /// The number of attempts that were begun.
    let begun: Int
    /// Whether there may be more new events.
    let hasMoreEvents: Bool
  }

  func run() async throws {
    let changes = ledger.webhookChanges
    let underWay = LockedValue(0)
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        while !Task.isCancelled {
          let count = changes.count
          let pass = await begin(in: &group, underWay)
          if pass?.hasMoreEvents == true { continue }
          await changes.wait(beyond: count, seconds: pass == nil ? Self.errorWaitSeconds : Self.pollSeconds)
        }
      }
    }
  }

  /// Makes messages of up to 1,000 new events of each webhook, and begins attempts until no message is due or enough attempts are under
  /// way. It begins at most ``mostUnderWay``, so that neither a long history nor many messages that wait hold up what is new.
  ///
  /// - Parameter underWay: the number of attempts of this server that are under way.
  /// - Returns: nil after an error of the ledger. What could be read is sent all the same.
  func begin(in group: inout DiscardingTaskGroup, _ underWay: LockedValue<Int>) async -> Pass? {
    var begun = 0
    var hasMoreEvents: Bool?
    do {
      hasMoreEvents = try await ledger.takeNextMessages().hasMore
    } catch {
      report(error)
    }
    do {
      while begun < Self.mostUnderWay, underWay.value < Self.mostUnderWay {
        guard let lease = try await ledger.takeWebhookDelivery() else { break }
        underWay.withLock { $0 += 1 }
        begun += 1
        group.addTask {
          await attempt(lease)
          underWay.withLock { $0 -= 1 }
          // The ledger has notified of the result before this attempt's place was free.
          ledger.webhookChanges.notify()
        }
        try Task.checkCancellation()
      }
      return hasMoreEvents.map { Pass(begun: begun, hasMoreEvents: $0) }
    } catch {
      report(error)
      return nil
    }
  }

  private func report(_ error: any Error) {
    if Task.isCancelled { return }
    logger.error("Messages of webhooks could not be taken", metadata: ["error": "\(error)"])
  }

  /// Sends a message. If this server is killed before the result is stored, the message is sent again after the lease, with the same
  /// id.
  private func attempt(_ lease: WebhookDeliveryLease) async {
    do {
      // The server stops since the message was taken.
      guard !Task.isCancelled else { return try await ledger.giveBack(lease) }
      let outcome = try await send(lease)
      guard let settlement = try await ledger.settle(lease, outcome.result) else { return }
      report(outcome, settlement, of: lease)
    } catch {
      guard !Task.isCancelled else { return }
      logger.error(
        "The result of a webhook's message could not be stored. The message is sent again.",
        metadata: Self.metadata(lease, ["error": "\(error)"]))
    }
  }

  private func send(_ lease: WebhookDeliveryLease) async throws -> WebhookOutcome {
    let body = Data(lease.body)
    let seconds = clock.now.millisecondsSince1970 / 1_000
    let signature = WebhookSignature.header(
      id: lease.message, seconds: seconds, body: body, keys: lease.secrets.map(\.key))
    return try await transport.post(
      body, to: lease.url,
      fields: [
        ("webhook-id", lease.message), ("webhook-timestamp", "\(seconds)"), ("webhook-signature", signature),
      ])
  }

  /// The log has neither the customer nor the URL, which can have a secret in its path or query. A receiver can repeat the message in
  /// its answer, so of an answer it has only the status.
  private func report(_ outcome: WebhookOutcome, _ settlement: WebhookSettlement, of lease: WebhookDeliveryLease) {
    let metadata = Self.metadata(lease, ["problem": outcome.problem?.debugDescription])
    if settlement.state == .dead {
      metrics.countWebhookAttempt("dead")
      logger.error("A message of a webhook was given up. An operator can send it again.", metadata: metadata)
      return
    }
    switch outcome {
    case .answered where settlement.state == .delivered:
      metrics.countWebhookAttempt("delivered")
      logger.debug("A message of a webhook was delivered", metadata: metadata)
    case .answered(let answer) where answer.isGone:
      metrics.countWebhookAttempt("disabled")
      guard settlement.hasDisabledWebhook else {
        logger.debug("A receiver wants no more messages (410), as it has answered before", metadata: metadata)
        return
      }
      logger.warning("A receiver wants no more messages (410). Its webhook was disabled.", metadata: metadata)
    case .answered, .failed:
      metrics.countWebhookAttempt("failed")
      logger.info("A message of a webhook could not be delivered. It is sent again.", metadata: metadata)
    case .refused:
      metrics.countWebhookAttempt("refused")
      logger.warning("A webhook leads to an address that must not be reached", metadata: metadata)
    }
  }

  private static func metadata(_ lease: WebhookDeliveryLease, _ more: [String: String?]) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "webhook": "\(lease.webhook)", "message": "\(lease.message)", "type": "\(lease.type.rawValue)",
      "attempt": "\(lease.attempts)",
    ]
    for (name, value) in more { metadata[name] = value.map { .string($0) } }
    return metadata
  }
}

extension WebhookAnswer {
  /// Whether the receiver wants no more messages.
  fileprivate var isGone: Bool { status == 410 }
  fileprivate var isDelivery: Bool { (200..<300).contains(status) }
  fileprivate var problem: String { "HTTP \(status)" }
}

extension WebhookOutcome {
  /// Why the message was not delivered; nil if it was.
  fileprivate var problem: String? {
    switch self {
    case .answered(let answer): answer.isDelivery ? nil : answer.problem
    case .failed(let problem), .refused(let problem): problem
    }
  }

  /// The result for the ledger.
  fileprivate var result: WebhookDeliveryResult {
    switch self {
    case .answered(let answer) where answer.isDelivery: .delivered(status: Int64(answer.status))
    case .answered(let answer) where answer.isGone: .gone(problem: answer.problem)
    case .answered(let answer):
      .failed(
        status: Int64(answer.status), problem: answer.problem, retryAfterSeconds: Int64(answer.retryAfterSeconds))
    case .failed(let problem), .refused(let problem): .failed(status: nil, problem: problem)
    }
  }
}
