import Foundation
import StoreModel

extension Ledger {
  /// Records a notification and the status of its purchase, in one transaction. No purchase is claimed: a status without a
  /// claim waits for the redemption.
  ///
  /// A notification that was received before changes nothing. One that the ledger refuses is set aside, and can be replayed
  /// (``replay(_:by:reason:)``).
  ///
  /// - Throws: ``LedgerError/unknownApp(_:)``; ``LedgerDatabaseError`` if it cannot be stored now, also because of a full disk.
  ///   Nothing was changed then.
  public func receive(
    _ notification: StoreNotification, from source: NotificationSource
  ) async throws -> NotificationOutcome {
    let recording = NotificationRecording(notification, of: self, try settings(of: notification.app))
    do {
      return try await write(recording) { transaction in
        transaction.change = LedgerChange(date: recording.now, cause: source.cause)
        // A repeated notification needs no lock, so that its write need not run again alone.
        let known = try transaction.findLater(notification)
        var statuses = try recording.statuses(in: transaction)
        guard try known.row == nil else { return .known }
        try statuses?.lock()
        guard try transaction.insert(notification, from: source, recording.now) else { return .known }
        _ = try statuses?.write()
        try recording.recordConsumption(in: transaction)
        return .recorded
      }
    } catch {
      guard let problem = Self.problem(error) else { throw error }
      return try await database.write(locking: []) { transaction in
        try transaction.insert(notification, from: source, recording.now, problem: problem)
          ? .setAside(problem: problem) : .known
      }
    }
  }

  /// Records a notification that was set aside. If the ledger refuses it again, it stays set aside.
  ///
  /// - Parameters:
  ///   - notification: verified again from its stored payload (``signedPayload(ofNotification:app:)``).
  ///   - reason: recorded in the audit log.
  /// - Throws: as ``receive(_:from:)``; ``LedgerError/unknownNotification(_:)``.
  public func replay(
    _ notification: StoreNotification, by operatorName: String, reason: String? = nil
  ) async throws -> NotificationOutcome {
    let recording = NotificationRecording(notification, of: self, try settings(of: notification.app))
    func entry(_ result: String) -> AuditEntry {
      audit(
        operatorName, "replayNotification", subject: notification.uuid,
        "\(notification.type) in \(notification.app), \(result)", reason: reason)
    }
    let recorded = entry("recorded")
    do {
      return try await write(recording) { transaction in
        transaction.change = LedgerChange(date: recording.now, cause: .notification)
        var statuses = try recording.statuses(in: transaction)
        try statuses?.lock()
        guard try transaction.settle(notification, problem: nil) else {
          try transaction.expect(notification)
          return .known
        }
        _ = try statuses?.write()
        try recording.recordConsumption(in: transaction)
        try transaction.record(recorded)
        return .recorded
      }
    } catch {
      guard let problem = Self.problem(error) else { throw error }
      let refused = entry("set aside again")
      return try await database.write(locking: []) { transaction in
        guard try transaction.settle(notification, problem: problem) else {
          try transaction.expect(notification)
          return .known
        }
        try transaction.record(refused)
        return .setAside(problem: problem)
      }
    }
  }

  private func write(
    _ recording: NotificationRecording, _ body: @escaping @Sendable (LedgerTransaction) throws -> NotificationOutcome
  ) async throws -> NotificationOutcome {
    let outcome = try await database.writeShared(locking: recording.locks, about: recording.purchases, body)
    if outcome == .recorded, recording.asksAboutConsumption { consumptionChanges.notify() }
    return outcome
  }

  /// Why the ledger refuses the contents of a notification; nil if the error says nothing about them, so that the same
  /// notification may be recorded later.
  private static func problem(_ error: any Error) -> String? {
    switch error {
    case let problem as UnusableNotification: problem.description
    case LedgerError.unknownNotification: nil
    case let error as LedgerError: error.description
    case let error as LedgerDatabaseError:
      switch error {
      case .failed, .unexpectedRow: error.description
      case .unavailable, .notUsable, .overloaded, .closed, .full, .newerSchema, .noClientLibrary, .notDurable: nil
      }
    default: nil
    }
  }
}

extension NotificationSource {
  /// How the ledger learns of a change that a notification of this source states.
  fileprivate var cause: LedgerChange.Cause {
    switch self {
    case .sent: .notification
    case .history: .history
    }
  }
}

/// Thrown inside a write, which is then undone.
private struct UnusableNotification: Error {
  let description: String
}

/// Records the contents of one notification.
private struct NotificationRecording: Sendable {
  private let notification: StoreNotification
  private let settings: LedgerSettings
  private let makeUUID: @Sendable () -> UUID
  let now: StoreDate
  /// The date of the store's clock.
  private let storeNow: StoreDate

  var asksAboutConsumption: Bool { notification.consumptionNotice != nil }

  init(_ notification: StoreNotification, of ledger: Ledger, _ settings: LedgerSettings) {
    self.notification = notification
    self.settings = settings
    makeUUID = ledger.makeUUID
    now = ledger.clock.now
    storeNow = ledger.now
  }

  private var content: StoreNotification.Content { notification.content }
  private var proof: VerifiedProof? { if case .purchase(let proof) = content { proof } else { nil } }

  /// The locks that are certainly needed. That of the claim's owner is added when the claim is known.
  var locks: Set<LedgerLock> {
    guard let proof else { return [] }
    return Set(
      proof.purchases.flatMap { purchase in
        purchase.type.map { LedgerLock.settling(proof.claimKey(of: purchase, $0), $0, owner: nil) } ?? []
      })
  }

  var purchases: Set<PurchaseKey> {
    guard let proof else { return [] }
    return Set(
      proof.purchases.flatMap { [$0.transactionID, $0.originalTransactionID] }.map {
        PurchaseKey(app: proof.app, environment: proof.environment, id: $0)
      })
  }

  /// Reads everything that decides whether the contents can be recorded. It comes before anything is changed, as
  /// ``StatusRecording/lock()`` does, so that a lock that is missing or contents that are refused disturb no other write of a shared
  /// transaction.
  ///
  /// - Returns: what is to be written; nil if there is nothing to record.
  func statuses(in transaction: LedgerTransaction) throws -> StatusRecording? {
    switch content {
    case .nothing: return nil
    case .unusable(let problem): throw UnusableNotification(description: problem)
    case .purchase(let proof):
      let statuses = try StatusRecording(proof.purchases, of: proof, settings, now, in: transaction, makeUUID: makeUUID)
      guard statuses.otherPurchases.isEmpty else {
        throw UnusableNotification(description: "Another purchase is recorded under its transaction id.")
      }
      return statuses
    }
  }

  /// Records a request for information about consumption, or closes those about a purchase on whose refund the store has decided.
  /// Call it after the statuses were written: their rows are locked then, so two notifications about a purchase follow one another.
  func recordConsumption(in transaction: LedgerTransaction) throws {
    let policy = settings.consumption.policy
    if let decision = notification.refundDecision {
      if policy != .off {
        try transaction.recordRefundDecision(
          about: decision.transaction, of: decision.claim, at: notification.signed, now)
      }
      try transaction.closeConsumptionRequests(
        about: decision.transaction, of: decision.claim, askedUntil: notification.signed, now)
    }
    guard policy != .off, let notice = notification.consumptionNotice else { return }
    try transaction.record(
      notice, policy,
      deadlineIn: notice.deadline.millisecondsSince1970 - storeNow.millisecondsSince1970, now)
  }
}

extension LedgerTransaction {
  /// Adds a notification.
  ///
  /// - Parameter problem: why it is set aside; nil if it is recorded.
  /// - Returns: false if it was received before.
  fileprivate func insert(
    _ notification: StoreNotification, from source: NotificationSource, _ now: StoreDate, problem: String? = nil
  ) throws -> Bool {
    let state: ReceivedNotification.State = problem == nil ? .recorded : .setAside
    return try execute(
      """
      INSERT INTO notification
        (app, uuid, environment, type, subtype, original, signed, received, source, state, problem, payload)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      ON CONFLICT (app, uuid) DO NOTHING
      """, notification.app, notification.uuid, notification.environment, notification.type, notification.subtype,
      notification.originalTransactionID, notification.signed, now, source, state, problem,
      problem.map { _ in notification.payload }) > 0
  }

  /// Changes the state of a notification that was set aside.
  ///
  /// - Parameter problem: why it stays set aside; nil if it is recorded.
  /// - Returns: false if there is no such notification, or it is recorded.
  fileprivate func settle(_ notification: StoreNotification, problem: String?) throws -> Bool {
    let state: ReceivedNotification.State = problem == nil ? .recorded : .setAside
    return try execute(
      """
      UPDATE notification SET state = $3, problem = $4, payload = CASE WHEN $3 = 'setAside' THEN payload END
      WHERE app = $1 AND uuid = $2 AND state = 'setAside'
      """, notification.app, notification.uuid, state, problem) > 0
  }

  fileprivate func expect(_ notification: StoreNotification) throws {
    guard try findLater(notification).row != nil else { throw LedgerError.unknownNotification(notification.uuid) }
  }

  /// Requests a row that exists if a notification was received.
  fileprivate func findLater(_ notification: StoreNotification) throws -> PendingAnswer {
    try later(
      "SELECT 1 AS found FROM notification WHERE app = $1 AND uuid = $2", notification.app, notification.uuid)
  }
}
