import Foundation

@testable import CommandLineTool

/// An app of StoreKit 2 takes updates in: its customer owns two filters and a plan. One filter is refunded while the app
/// runs; the other is refunded, and the plan renews, while the app is closed; then the plan renews while the app runs,
/// and another device of the customer buys the first filter again, without finishing it.
struct UpdateScenario: Scenario {
  /// Whether the app delivers purchases by StoreKit 1, too.
  var usesBothStoreKits = false

  var name: String { "updates of StoreKit 2\(usesBothStoreKits ? ", delivered by both" : "")" }

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    // The store's keys are made once.
    try await SampleShop.prepareDisks(in: folder, keeping: "keys") { environment in
      let customer = SampleCustomer(environment)
      try await customer.start(.store)
      try await customer.start(.app)
      try await customer.waitUntilAllIsFinished()
      try await environment.quit(.app)
      try await environment.quit(.store)
    }
  }

  func makeRun(in environment: RunEnvironment) -> UpdateRun {
    UpdateRun(environment, usesBothStoreKits: usesBothStoreKits)
  }
}

/// The phases of the run.
enum UpdatePhase: String, CaseIterable {
  case buying, refundingWhileRunning, updatingWhileClosed, renewingWhileRunning, buyingOnAnotherDevice
}
