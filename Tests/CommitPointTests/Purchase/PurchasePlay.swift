/// The customer of a ``PurchaseJourney``, who watches the screen and presses Buy, again only where nothing came of it.
final class PurchasePlay: JourneyPlay {
  private let stage: Stage
  private let customer: SampleCustomer

  init(_ stage: Stage) {
    self.stage = stage
    customer = SampleCustomer(stage)
  }

  let parties = [Party.store, .app]

  func start(_ party: Party) async throws { try await customer.start(party) }

  func play() async throws {
    try await customer.buyCredits()
    try await customer.waitUntilNothingIsLeft()
    try await stage.quit(.app)
    try await stage.quit(.store)
  }

  func settle() async throws {
    while true {
      try await customer.waitUntilNothingIsLeft()
      // A customer who sees no credits presses again: were the first ones paid for, they would be paid for twice.
      if let balance = try await customer.balance(), balance > 0 { return }
      if customer.hasSeenSheet {
        customer.problems.append("the customer had to press Buy again, although the sheet had been shown")
        customer.hasSeenSheet = false
      }
      guard customer.presses < 5 else {
        return customer.problems.append("pressing Buy had no effect, \(customer.presses) times")
      }
      try await customer.buyCredits()
    }
  }

  func landmark(of party: Party) throws -> String? { try PurchaseBooks(stage).landmark(of: party) }

  func check() throws -> [String] { try customer.problems + PurchaseBooks(stage).check() }
}
