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
        let start = ContinuousClock.now
        let cursor = try await session.changeCursor()
        let changes = try await session.perform {
          try await $0.changes(after: cursor, waitSeconds: Self.listeningSeconds, for: $1)
        }
        heardAgain()
        if !changes.changes.isEmpty {
          try await heed(changes)
        } else if ContinuousClock.now - start < .seconds(1) {
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

  /// Does what `changes` ask for, and then moves the cursor, so that nothing of it is missed by a process that dies.
  private func heed(_ changes: DeviceChanges) async throws {
    var accepted: [PaymentRequest] = []
    for change in changes.changes {
      switch change.kind {
      case .transactionsWaiting:
        needsUnfinished = true
      case .paymentDecided:
        decisionsAreDue = true
        needsUnfinished = true
      case .storefrontChanged:
        await session.refreshStanding()
      case .promotedPurchase:
        accepted += try await paymentsTheAppAccepts(change.productIDs)
      case .entitlementsRevoked:
        do {
          // The receipt that says so comes first.
          try await session.refreshReceipt(asksToSignIn: false)
          try publishReceipt()
        } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
          // Nobody is signed in, so there is none; the app is told all the same.
        }
        await listener.revoked(change.productIDs)
      default:
        continue
      }
    }
    // One commit: a purchase begun in the App Store is added once, whenever the process dies.
    listener.updated(try journal.advance(to: changes.cursor, adding: accepted))
    payments?.wake()
    finishes?.wake()
  }

  /// Asks the app about products whose purchase was begun in the App Store.
  private func paymentsTheAppAccepts(_ products: [ProductID]) async throws -> [PaymentRequest] {
    let listings = try await session.perform { try await $0.products(products, for: $1) }.products
    var accepted: [PaymentRequest] = []
    for listing in listings {
      if let payment = await listener.shouldAddStorePayment(for: listing) { accepted.append(payment) }
    }
    return accepted
  }
}
