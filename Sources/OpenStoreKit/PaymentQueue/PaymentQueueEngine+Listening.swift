import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// How long the store is asked to wait for something to happen before it answers that nothing did.
  private static let listeningSeconds = 25.0

  /// Hears what happens in the store, for as long as there are observers.
  ///
  /// - Returns: false where the store could not be reached or understood, and is to be asked again later.
  func listen() async -> Bool {
    do {
      while isActive {
        let start = clock.nanoseconds
        let cursor = try await session.changeCursor()
        let changes = try await session.perform {
          try await $0.changes(after: cursor, waitSeconds: Self.listeningSeconds, for: $1)
        }
        heardAgain()
        if !changes.changes.isEmpty {
          try await heed(changes)
        } else if clock.nanoseconds - start < 1_000_000_000 {
          // A store that does not wait, because it is going down or is none: it must not be asked in a circle.
          return false
        }
      }
      return true
    } catch {
      hasLostTouch = true
      // What a store that is out of reach keeps from the app, the lines that need it report.
      if !(error is StoreConnectionFailure) { report(error) }
      return false
    }
  }

  /// The store is within reach again: what waits for it need not wait any longer.
  private func heardAgain() {
    guard hasLostTouch else { return }
    hasLostTouch = false
    payments?.wake()
    finishes?.wake()
  }

  /// A call to the app because of a change. Everything that may fail was fetched before.
  private enum Question {
    case addPayment(ProductListing)
    case revoked([ProductID])
  }

  /// Does what `changes` ask for, and then moves the cursor, so that nothing of it is missed by a process that dies.
  ///
  /// Everything that may fail comes before the app is asked: a change that is processed again must not ask the app a second time.
  private func heed(_ changes: DeviceChanges) async throws {
    if let answered = answeredChanges {
      // The app has answered, and the answers could not be written. The changes after them come with the next list.
      return try commit(answered)
    }
    var questions: [Question] = []
    for change in changes.changes { questions += try await prepare(change) }
    var accepted: [PaymentRequest] = []
    for question in questions {
      switch question {
      case .addPayment(let listing):
        if let payment = await listener.shouldAddStorePayment(for: listing) { accepted.append(payment) }
      case .revoked(let products):
        await listener.revoked(products)
      }
    }
    let answered = AnsweredChanges(cursor: changes.cursor, accepted: accepted)
    answeredChanges = answered
    try commit(answered)
  }

  /// Makes what a change announces due, and fetches what the app is to be asked with.
  private func prepare(_ change: StoreChange) async throws -> [Question] {
    switch change.kind {
    case .transactionsWaiting:
      needsUnfinished = true
    case .paymentDecided:
      decisionsAreDue = true
      needsUnfinished = true
    case .storefrontChanged:
      await session.refreshStanding()
    case .promotedPurchase:
      return try await session.perform { try await $0.products(change.productIDs, for: $1) }.products
        .map(Question.addPayment)
    case .entitlementsRevoked:
      do {
        // The receipt that shows the revocation is fetched first.
        try await session.refreshReceipt(asksToSignIn: false)
        try publishReceipt()
      } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
        // No account is signed in, so there is no receipt; the app is notified all the same.
      }
      return [.revoked(change.productIDs)]
    default:
      break
    }
    return []
  }

  /// One commit: a purchase begun in the App Store is added once, whenever the process dies.
  private func commit(_ answered: AnsweredChanges) throws {
    let added = try journal.advance(to: answered.cursor, adding: answered.accepted)
    answeredChanges = nil
    listener.updated(added)
    payments?.wake()
    finishes?.wake()
  }
}
