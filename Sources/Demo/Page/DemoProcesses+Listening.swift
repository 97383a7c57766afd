import ControlAPI
import Foundation
import Logging
import SampleApp

// What the demo hears of its devices and of its store.
extension DemoProcesses {
  /// Listens to the purchases on a device.
  func listen(to device: SupervisedProgram, at address: URL) {
    let feed = EventFeed(address: address.appending(path: "steps"), starts: { device.starts }, logger: logger)
    listen(to: feed) { [board, logger] event in
      guard event.name == "step" else { return }
      do {
        board.hear(.step(device: device.name, try JSONDecoder().decode(StepReport.self, from: Data(event.data.utf8))))
      } catch {
        logger.warning(
          "A step cannot be understood",
          metadata: [
            "device": "\(device.name)", "step": "\(event.data.debugDescription.prefix(500))", "error": "\(error)",
          ])
      }
    }
  }

  /// Looks into the store's books whenever something happened there.
  func listen(toStoreAt address: URL) {
    let control = ControlAPIClient(address: address)
    listen(to: EventFeed(address: address.appending(path: "console/live"), logger: logger)) { [board, logger] _ in
      do {
        // What the tour wants to know.
        for sold in try await control.newestTransactions() { board.hear(.sold(quantity: sold.quantity)) }
        if try await control.hasRefund() { board.hear(.refunded) }
      } catch ControlAPIError.noStore, ControlAPIError.noAnswer {
        // It is just about to be started again; it tells of itself when it is back.
      } catch is CancellationError {
        // The demo is over.
      } catch {
        logger.warning("The store's books cannot be looked into", metadata: ["error": "\(error)"])
      }
    }
  }
}
