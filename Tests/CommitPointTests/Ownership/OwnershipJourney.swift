import Foundation
import SampleModel

@testable import CommandLineTool

/// A customer with a new device buys five monkey credits, restores a filter, spends two credits and makes a backup; loses the
/// app, and brings the backup back on the same device.
///
/// The filter was bought on a device that is gone.
struct OwnershipJourney: Journey {
  let name = "what is owned"

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    try await SampleShop.rehearse(in: folder) { stage in
      let customer = SampleCustomer(stage)
      try await customer.start(.store)
      try await customer.start(.app)
      try customer.press(.addAnyway(product: SampleCatalog.sepia))
      try await customer.waitUntilNothingIsLeft()
      try await stage.quit(.app)
      try await stage.quit(.store)
    }
  }

  func play(on stage: Stage) -> OwnershipPlay { OwnershipPlay(stage) }
}

/// The parts of the play.
enum OwnershipScene: String, CaseIterable {
  case buying, restoring, spending, exporting, reinstalling, importing
}
