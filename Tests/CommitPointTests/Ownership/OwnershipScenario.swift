import Foundation
import SampleModel

@testable import CommandLineTool

/// A customer with a new device buys five monkey credits, restores a filter, spends two credits and makes a backup; removes
/// the app, and imports the backup on the same device.
///
/// The filter was bought on another device.
struct OwnershipScenario: Scenario {
  let name = "restore and backup"

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    try await SampleShop.prepareDisks(in: folder) { environment in
      let customer = SampleCustomer(environment)
      try await customer.start(.store)
      try await customer.start(.app)
      try customer.press(.addAnyway(product: SampleCatalog.sepia))
      try await customer.waitUntilAllIsFinished()
      try await environment.quit(.app)
      try await environment.quit(.store)
    }
  }

  func makeRun(in environment: RunEnvironment) -> OwnershipRun { OwnershipRun(environment) }
}

/// The phases of the run.
enum OwnershipPhase: String, CaseIterable {
  case buying, restoring, spending, exporting, reinstalling, importing
}
