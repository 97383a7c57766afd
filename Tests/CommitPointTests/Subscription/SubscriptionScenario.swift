import Foundation
import StoreModel

@testable import CommandLineTool
@testable import Demo

/// A customer subscribes; the subscription renews, is upgraded, enters its grace period, and is charged when the card works
/// again. Only the store takes part, through its control API.
struct SubscriptionScenario: Scenario {
  let name = "subscription"

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    // The store's keys and its catalog are made once.
    try await SampleShop.prepareDisks(in: folder) { environment in
      let run = SubscriptionRun(environment)
      try await run.start(.store)
      try await run.serveCatalog()
      try await environment.quit(.store)
    }
  }

  func makeRun(in environment: RunEnvironment) -> SubscriptionRun { SubscriptionRun(environment) }
}

/// The phases of the run.
enum SubscriptionPhase: String, CaseIterable {
  case subscribing, renewing, upgrading, failing, recovering
}
