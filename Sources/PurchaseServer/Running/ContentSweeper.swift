import Foundation
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Removes content files that no version of a product refers to, if they were published or renewed more than a day ago.
struct ContentSweeper: Service {
  let ledger: Ledger
  let content: any ContentStore
  var clock: any MachineClock = SystemClock()
  let logger: Logger

  private static let graceMilliseconds: Int64 = 86_400_000
  private static let pauseSeconds: Int64 = 3_600

  func run() async throws {
    while !Task.isCancelled {
      do {
        try await cancelWhenGracefulShutdown { try await clock.sleep(for: .seconds(Self.pauseSeconds)) }
      } catch {
        return
      }
      await sweep()
    }
  }

  func sweep() async {
    do {
      let swept = try await content.sweep(gracePeriodMilliseconds: Self.graceMilliseconds) {
        Set(try await ledger.contentDigests().compactMap { ContentDigest($0) })
      }
      if swept.spared > 0 {
        logger.warning(
          "Content was not swept: the ledger refers to none at all. Is it the right one?",
          metadata: ["files": .stringConvertible(swept.spared)])
      }
    } catch {
      logger.error("Content could not be swept", metadata: ["error": "\(error)"])
    }
  }
}
