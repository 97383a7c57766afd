import PurchaseKit

/// The customer of a ``PurchaseScenario``. The customer presses Buy, and presses it again only if no credits were granted.
final class PurchaseRun: ScenarioRun {
  private let environment: RunEnvironment
  private let customer: SampleCustomer
  private let storeKit: StoreInterface
  private let appArguments: [String]

  init(_ environment: RunEnvironment, storeKit: StoreInterface, usesBothStoreKits: Bool) {
    self.environment = environment
    self.storeKit = storeKit
    appArguments = usesBothStoreKits ? ["--both-storekits"] : []
    customer = SampleCustomer(environment, storeKit: storeKit)
  }

  let roles = [ProcessRole.store, .app]

  func start(_ role: ProcessRole) async throws {
    try await customer.start(role, appArguments: appArguments)
  }

  func perform() async throws {
    try await customer.buyCredits()
    try await customer.waitUntilAllIsFinished()
    try await environment.quit(.app)
    try await environment.quit(.store)
  }

  func recover() async throws {
    while true {
      try await customer.waitUntilAllIsFinished()
      // A customer who sees no credits buys again. If the first purchase was charged, that would be a second charge.
      if let balance = try await customer.balance(), balance > 0 { return }
      // With StoreKit 2, a purchase that was not confirmed ends with its launch. So the customer presses Buy again; what was
      // confirmed is not lost, and the wait above would not have ended.
      if customer.hasSeenSheet, storeKit == .storeKit1 {
        customer.problems.append("the customer had to press Buy again, although the sheet had been shown")
        customer.hasSeenSheet = false
      }
      guard customer.presses < 5 else {
        return customer.problems.append("pressing Buy had no effect, \(customer.presses) times")
      }
      try await customer.buyCredits()
    }
  }

  func diskState(of role: ProcessRole) throws -> String? { try PurchaseRecords(environment).diskState(of: role) }

  func check() throws -> [String] { try customer.problems + PurchaseRecords(environment).check() }
}
