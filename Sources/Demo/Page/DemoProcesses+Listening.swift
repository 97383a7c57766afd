import ControlAPI
import Foundation
import Logging
import SampleApp
import StoreModel

// The events that the demo receives from its devices and its store.
extension DemoProcesses {
  /// Receives the steps of purchases on a device, and the prompts that it shows, until the demo ends.
  func listen(to device: SupervisedProgram, at address: URL) {
    let feed = EventFeed(address: address.appending(path: "steps"), starts: { device.starts }, logger: logger)
    listen(to: feed) { [pageState, player, logger] event in
      do {
        if event.name == "prompt" {
          let prompt = try JSONDecoder().decode(AppPrompt?.self, from: Data(event.data.utf8))
          return pageState.note(device.name, prompt)
        }
        guard event.name == "step" else { return }
        let report = try JSONDecoder().decode(StepReport.self, from: Data(event.data.utf8))
        await player.waitBeforeStep()
        pageState.handle(.step(device: device.name, report))
        await player.handle(report, on: device.name)
      } catch {
        logger.warning(
          "An event cannot be understood",
          metadata: [
            "device": "\(device.name)", "event": "\(event.data.debugDescription.prefix(500))", "error": "\(error)",
          ])
      }
    }
  }

  /// Queries the store's records after each change, until the demo ends.
  func listen(toStoreAt address: URL) {
    let control = ControlAPIClient(address: address)
    let news = LockedValue(StoreNews())
    listen(to: EventFeed(address: address.appending(path: "console/live"), logger: logger)) { [pageState, logger] _ in
      do {
        let (newest, refunds) = (try await control.newestTransactions(), try await control.allRefunds())
        let sent = try await control.newestNotifications()
        for event in news.withLock({ $0.events(in: newest, refunds, sent) }) { pageState.handle(event) }
        pageState.note(try await control.allCharges(), refunds)
      } catch ControlAPIError.noStore, ControlAPIError.noAnswer {
        // The store is being started again. It sends an event when it runs again.
      } catch is CancellationError {
        // The demo is ending.
      } catch {
        logger.warning("The store's records cannot be read", metadata: ["error": "\(error)"])
      }
    }
  }
}
