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
        while isActive, updates.isInUse, refreshing.isDue, !switches.isOffline { try await refreshBeforePoll() }
        let start = clock.nanoseconds
        let first = FirstResult<DeviceChanges?>()
        endPoll = { first.give(.success(nil)) }
        defer { endPoll = nil }
        if !switches.isOffline { offlineCursor = nil }
        let skipped = offlineCursor
        let stored = try await session.changeCursor()
        let cursor = skipped ?? stored
        let follows = try following()
        refreshing.pollFollows = follows != nil
        let changes = try await first.value {
          try await self.session.performPatiently {
            try await $0.changes(after: cursor, waitSeconds: Self.listeningSeconds, follows: follows, for: $1)
          }
        }
        // The device is online again, or another customer has signed in.
        guard let changes else { continue }
        connectionRestored()
        if !changes.changes.isEmpty {
          guard changes.cursor.rawValue > cursor.rawValue else {
            throw StoreKitDeviceError.deliveryMismatch("changes that had come before")
          }
          if switches.isOffline {
            await receiveSettings(changes)
          } else if skipped == nil {
            try await process(changes)
          }
        }
        if changes.transactionsHaveChanged == true {
          // Offline, the refresh waits for the network.
          refreshing.isDue = true
          if !switches.isOffline { try await refreshBeforePoll() }
          // A store that reports a change which no page shows would be asked in a busy loop.
          let isInCircle = try clock.nanoseconds - start < 1_000_000_000 && following() == follows
          if isInCircle { return false }
        } else if changes.changes.isEmpty, clock.nanoseconds - start < 1_000_000_000 {
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
    /// - Parameter intent: what is stored if no observer wants the payment, and StoreKit 2 is in use.
    case addPayment(ProductListing, intent: IntentUpdate)
    case intent(IntentUpdate)
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
    var intents: [IntentUpdate] = []
    for prompt in prompts {
      switch prompt {
      case .addPayment(let listing, let intent):
        if let payment = await listener.shouldAddStorePayment(for: listing) {
          accepted.append(payment)
          continue
        }
        if updates.isInUse { intents.append(intent) }
        // The app declines purchases while they are not allowed. The customer must learn why nothing happens. If the
        // app accepts the payment, it fails with the same alert.
        if switches.isRestricted { inform(.paymentsNotAllowed) }
      case .intent(let intent):
        intents.append(intent)
      case .revoked(let products):
        await listener.revoked(products)
      }
    }
    let answered = AnsweredChanges(cursor: changes.cursor, accepted: accepted, intents: intents)
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
      // An app that iterates over its intents receives the purchase there, and observers of StoreKit 1 do not.
      let isIntent = updates.intents.wasRegistered || updates.isInUse && !listener.hasObservers
      guard !isIntent else {
        return change.productIDs.map { .intent(IntentUpdate(productID: $0, offer: change.offer)) }
      }
      return try await session.perform { try await $0.products(change.productIDs, for: $1) }.products
        .map { .addPayment($0, intent: IntentUpdate(productID: $0.productID, offer: change.offer)) }
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
    let added = try journal.advance(
      to: answered.cursor, adding: answered.accepted, intents: answered.intents, at: clock.now)
    answeredChanges = nil
    show(added)
    if !answered.intents.isEmpty { updates.intents.send(answered.intents) }
    waitsAnew.formUnion(added.map(\.sequence))
    for entry in added { try beginWait(entry) }
    payments?.wake()
    finishes?.wake()
  }
}
