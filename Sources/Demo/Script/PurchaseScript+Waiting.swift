import ControlAPI
import Foundation
import SampleApp
import StoreModel

// Requirements B3 and B7: payments that wait for a parent, and transactions that wait for a later version of the app.
extension PurchaseScript {
  func askToBuy() async throws {
    beginChapter("Pending approval (Ask to Buy)")
    try await store.change(CustomerChange(needsApproval: true))
    for isApproved in [true, false] {
      try phone.send(.buy(product: five, quantity: 1, confirms: true))
      guard case .sheet = try await phone.nextEvent() else { throw DemoFailure("No confirmation sheet was shown.") }
      check("the payment is deferred", try await phone.nextEvent() == .deferred(product: five))
      try await phone.waitForButton(five, "Waiting for approval")
      check("nothing is charged yet", try await store.charges().count == expectedCharges.count)
      try await store.decideApproval(isApproved ? .approve : .decline)
      if isApproved {
        try await takeDelivery(of: five)
        bought(credits: 5, amount: priceOfFive)
        explain("Approved: the payment is purchased.")
      } else {
        guard case .failed(five, _, _, false, _) = try await phone.nextEvent() else {
          throw DemoFailure("A declined payment did not fail.")
        }
        explain("Declined: the payment fails.")
      }
      try await checkBalanceAndCharges()
    }
    try await store.change(CustomerChange(needsApproval: false))
  }

  func buyWhatOnlyALaterVersionKnows() async throws {
    beginChapter("A purchase of a product that this version of the app does not know")
    try phone.launch()
    try await loadPrices()
    try await store.buy(ProductID(twenty), of: BundleID(environment.bundleIdentifier))
    expectedCharges.append(priceOfTwenty)
    let event = try await phone.nextEvent()
    guard case .kept(twenty, let reason) = event else { throw DemoFailure("It was not kept pending: \(event)") }
    explain("\"\(reason)\"")
    try await checkBalanceAndCharges()
    let unfinished = try await store.transactions().filter { $0.finishedDate == nil }
    check("it is kept pending, reported and not finished", unfinished.map(\.productId.rawValue) == [twenty])
    try await phone.quit()

    try phone.launch(version: 2)
    try await takeDelivery(of: twenty)
    expectedBalance += RunningApp.creditsOfVersionTwo.credits
    explain("A later version of the app, which knows the product, is launched.")
    try await checkBalanceAndCharges()
    try await phone.quit()
  }
}
