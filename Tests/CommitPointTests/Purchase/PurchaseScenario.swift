import Foundation
import PurchaseKit

/// A customer buys five monkey credits, and the app grants them. Emulator and sample app run as they are shipped.
struct PurchaseScenario: Scenario {
  /// Whether the store has its keys already. Making them takes most of a run's time.
  var storeHasKeys = true
  /// The StoreKit that buys.
  var storeKit = StoreInterface.storeKit1
  /// Whether the app delivers purchases by the other StoreKit, too.
  var usesBothStoreKits = false

  var name: String {
    let purchase = storeHasKeys ? "a purchase" : "the first purchase of a new store"
    return "\(purchase) by StoreKit \(storeKit.rawValue)\(usesBothStoreKits ? ", delivered by both" : "")"
  }

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    guard storeHasKeys else { return }
    try await SampleShop.prepareDisks(in: folder, keeping: "keys") { environment in
      let run = makeRun(in: environment)
      for role in run.roles { try await run.start(role) }
      try await run.perform()
    }
  }

  func makeRun(in environment: RunEnvironment) -> PurchaseRun {
    PurchaseRun(environment, storeKit: storeKit, usesBothStoreKits: usesBothStoreKits)
  }
}
