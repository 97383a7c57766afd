import Foundation
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Removes, once a day, old installations that have no purchase. Otherwise the ledger would keep every installation that was
/// ever registered.
struct InstallationSweeper: Service {
  let ledger: Ledger
  /// The minimum age of an installation, in days; 0 to remove none.
  let days: Int64
  var clock: any MachineClock = SystemClock()
  let logger: Logger

  /// A day, because each sweep reads all customers.
  private static let pauseSeconds: Int64 = 86_400

  func run() async throws {
    guard days > 0 else {
      try? await gracefulShutdown()
      return
    }
    while !Task.isCancelled {
      do {
        try await cancelWhenGracefulShutdown {
          await sweep()
          try await clock.sleep(for: .seconds(Self.pauseSeconds))
        }
      } catch {
        return
      }
    }
  }

  func sweep() async {
    do {
      let removed = try await ledger.removeUnusedInstallations(olderThanDays: days)
      if removed > 0 {
        logger.info("Unused installations were removed", metadata: ["count": .stringConvertible(removed)])
      }
    } catch {
      guard !Task.isCancelled else { return }
      logger.error("Unused installations could not be removed", metadata: ["error": "\(error)"])
    }
  }
}
