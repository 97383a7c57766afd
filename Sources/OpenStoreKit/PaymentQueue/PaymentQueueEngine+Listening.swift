import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// The time that the store waits for a change before it answers without one, in seconds.
  private static let listeningSeconds = 25.0

  /// Receives changes from the store while there are observers.
  ///
  /// - Returns: false if the call must be retried: the store could not be reached or understood, or did not wait.
  func listen() async -> Bool {
    do {
      while isActive {
        let start = clock.nanoseconds
        let first = FirstResult<DeviceChanges?>()
        endPoll = { first.give(.success(nil)) }
        defer { endPoll = nil }
        if !switches.isOffline { offlineCursor = nil }
        let skipped = offlineCursor
        let stored = try await session.changeCursor()
        let cursor = skipped ?? stored
        let changes = try await first.value {
          try await self.session.performPatiently {
            try await $0.changes(after: cursor, waitSeconds: Self.listeningSeconds, for: $1)
          }
        }
        // The device is online again.
        guard let changes else { continue }
        connectionRestored()
        if !changes.changes.isEmpty {
          if switches.isOffline {
            await receiveSettings(changes)
          } else if skipped == nil {
            try await process(changes)
          }
        } else if clock.nanoseconds - start < 1_000_000_000 {
          // The store did not wait: it is stopping, or the address belongs to another server. Calling it again at once
          // would be a busy loop.
          return false
        }
      }
      return true
    } catch {
      isDisconnected = true
      // Connection errors are reported by the workers that need the store.
      if !(error is StoreConnectionFailure) { report(error) }
      return false
    }
  }

  /// Receives the settings while the device is offline. The other changes are requested again when it is online: to
  /// process them, the device must call the store.
  private func receiveSettings(_ changes: DeviceChanges) async {
    offlineCursor = changes.cursor
    if changes.changes.contains(where: { $0.kind == .settingsChanged }) { await session.refreshServerState() }
  }

  /// Wakes the other workers when the store can be reached again.
  private func connectionRestored() {
    guard isDisconnected else { return }
    isDisconnected = false
    payments?.wake()
    finishes?.wake()
  }

  /// A call to the app that a change requires, with the data for the call. The data is loaded before the first call to
  /// the app, because loading may fail.
  private enum CustomerPrompt {
    case addPayment(ProductListing)
    case revoked([ProductID])
  }

  /// Processes `changes`, then stores the cursor. If the process dies in between, the next launch processes them again.
  ///
  /// Operations that may fail come before the calls to the app, so that a retry does not call the app a second time.
  private func process(_ changes: DeviceChanges) async throws {
    if let answered = answeredChanges {
      // In an earlier attempt, the app answered, but the answers could not be stored. They are stored now, and
      // `changes` is ignored: the next call receives all changes after the stored cursor.
      return try commit(answered)
    }
    var prompts: [CustomerPrompt] = []
    for change in changes.changes { prompts += try await prepare(change) }
    var accepted: [PaymentRequest] = []
    for prompt in prompts {
      switch prompt {
      case .addPayment(let listing):
        if let payment = await listener.shouldAddStorePayment(for: listing) {
          accepted.append(payment)
        } else if switches.isRestricted {
          // The app declines purchases while they are not allowed. The customer must learn why nothing happens. If the
          // app accepts the payment, it fails with the same alert.
          inform(.paymentsNotAllowed)
        }
      case .revoked(let products):
        await listener.revoked(products)
      }
    }
    let answered = AnsweredChanges(cursor: changes.cursor, accepted: accepted)
    answeredChanges = answered
    try commit(answered)
  }

  /// Marks the work that a change requires, and loads the data for the calls to the app.
  private func prepare(_ change: StoreChange) async throws -> [CustomerPrompt] {
    switch change.kind {
    case .transactionsWaiting:
      needsUnfinished = true
    case .paymentDecided:
      decisionsAreDue = true
      needsUnfinished = true
    case .storefrontChanged, .settingsChanged:
      await session.refreshServerState()
    case .promotedPurchase:
      return try await session.perform { try await $0.products(change.productIDs, for: $1) }.products
        .map(CustomerPrompt.addPayment)
    case .entitlementsRevoked:
      do {
        // The receipt with the revocation is loaded before the app is notified.
        try await session.refreshReceipt(asksToSignIn: false)
        try publishReceipt()
      } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
        // No account is signed in, so there is no receipt. The app is still notified.
      }
      // Without products, only the receipt has changed.
      return change.productIDs.isEmpty ? [] : [.revoked(change.productIDs)]
    default:
      break
    }
    return []
  }

  /// Stores cursor and payments in one commit, so that a promoted purchase is added only once even if the process dies.
  private func commit(_ answered: AnsweredChanges) throws {
    let added = try journal.advance(to: answered.cursor, adding: answered.accepted, at: clock.now)
    answeredChanges = nil
    listener.updated(added)
    waitsAnew.formUnion(added.map(\.sequence))
    for entry in added { try beginWait(entry) }
    payments?.wake()
    finishes?.wake()
  }
}
