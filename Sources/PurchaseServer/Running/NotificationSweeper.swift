import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Removes, once a day, notifications that are older than the App Store's history, and old messages of webhooks.
struct NotificationSweeper: Service {
  let ledger: Ledger
  var clock: any MachineClock = SystemClock()
  let logger: Logger

  private static let pauseSeconds: Int64 = 86_400

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await sweep()
        do {
          try await clock.sleep(for: .seconds(Self.pauseSeconds))
        } catch {
          return
        }
      }
    }
  }

  func sweep() async {
    do {
      try await ledger.removeOldNotifications()
      try await ledger.removeOldWebhookDeliveries()
    } catch {
      guard !Task.isCancelled else { return }
      logger.error("Old notifications could not be removed", metadata: ["error": "\(error)"])
    }
  }
}
