import Foundation
import SampleModel
import StoreModel

@testable import CommandLineTool
@testable import Demo

/// The store notifies the developer's purchase server of a refund, and then of its reversal. The server is interrupted, and the
/// store sends the notification again.
struct NotificationScenario: Scenario {
  /// What the server has answered to the attempts after an interruption.
  let answersAfterInterruptions = LockedValue<[String: Int]>([:])

  let name = "a received notification"

  static let app = BundleID(SampleCatalog.bundleIdentifier)
  static let product = ProductID(SampleCatalog.fiftyPages)
  static let customer: AccountName = "reader"

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    try await SampleShop.prepareDisks(in: folder) { environment in
      let run = makeRun(in: environment)
      try await run.start(.store)
      let key = try await DeveloperServer.operatorKey(environment, try await run.shop.serverConfiguration())
      try await run.start(.server)
      try await run.redeem(by: key)
      try await environment.quit(.server)
      try await environment.quit(.store)
    }
  }

  func makeRun(in environment: RunEnvironment) -> NotificationRun {
    NotificationRun(environment, answersAfterInterruptions)
  }
}

/// The phases of the run.
enum NotificationPhase: String, CaseIterable {
  case refunding, reversing
}
