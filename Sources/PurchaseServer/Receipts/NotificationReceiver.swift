import Logging
import PurchaseLedger
import StoreModel

/// Verifies notifications of the App Store, and records them. The endpoint, the catch-up from the history and operators' replays
/// use it.
struct NotificationReceiver: Sendable {
  let ledger: Ledger
  let verifier: ProofVerifier
  let metrics: ServiceMetrics
  let clock: any MachineClock

  /// - Parameter signedPayload: a JWS.
  /// - Throws: ``ProofRefusal``, and nothing is stored; errors of the ledger.
  func receive(
    _ signedPayload: String, of app: BundleID, from source: NotificationSource, _ logger: Logger
  ) async throws -> NotificationOutcome {
    let notification = try await verified(signedPayload, of: app, from: source, logger)
    do {
      let outcome = try await ledger.receive(notification, from: source)
      metrics.countNotification(outcome.code, source: source.rawValue)
      metrics.noteNotification(of: app.rawValue, at: clock.now)
      log(outcome, of: notification, logger)
      return outcome
    } catch {
      metrics.countNotification("failed", source: source.rawValue)
      throw error
    }
  }

  /// Records a notification that was set aside.
  ///
  /// - Throws: ``LedgerError/unknownNotification(_:)``; ``ProofRefusal``; errors of the ledger.
  func replay(
    _ uuid: String, of app: BundleID, by operatorName: String, reason: String?, _ logger: Logger
  ) async throws -> NotificationOutcome {
    guard let payload = try await ledger.signedPayload(ofNotification: uuid, app: app) else { return .known }
    let notification = try await verifier.verify(notification: payload, for: app)
    let outcome = try await ledger.replay(notification, by: operatorName, reason: reason)
    metrics.countNotification(outcome.code, source: "replay")
    log(outcome, of: notification, logger)
    return outcome
  }

  private func verified(
    _ signedPayload: String, of app: BundleID, from source: NotificationSource, _ logger: Logger
  ) async throws(ProofRefusal) -> StoreNotification {
    do {
      return try await verifier.verify(notification: signedPayload, for: app)
    } catch {
      metrics.countNotification(error.notificationCode, source: source.rawValue)
      logger.info(
        "A notification was refused",
        metadata: [
          "app": "\(app)", "code": "\(error.notificationCode)", "reason": "\(error.description.debugDescription)",
        ])
      throw error
    }
  }

  /// The log has no transaction id, because the store can say whose it is.
  private func log(_ outcome: NotificationOutcome, of notification: StoreNotification, _ logger: Logger) {
    var metadata: Logger.Metadata = [
      "app": "\(notification.app)", "notification": "\(notification.uuid)", "type": "\(notification.type)",
      "outcome": "\(outcome.code)",
    ]
    if let subtype = notification.subtype { metadata["subtype"] = "\(subtype)" }
    if case .setAside(let problem) = outcome {
      metadata["problem"] = "\(problem.debugDescription)"
      logger.error("A notification was set aside. Replay it when the cause is removed.", metadata: metadata)
    } else {
      logger.info("A notification was received", metadata: metadata)
    }
  }
}

extension NotificationOutcome {
  /// The outcome as an identifier for programs.
  var code: String {
    switch self {
    case .recorded: "recorded"
    case .setAside: "setAside"
    case .known: "known"
    }
  }
}

extension ProofRefusal {
  /// The reason why a notification is refused, as an identifier for programs.
  var notificationCode: String {
    switch self {
    case .unreadable: "unreadableNotification"
    case .forged: "forgedNotification"
    default: code
    }
  }
}
