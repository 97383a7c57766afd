import ControlAPI
import Foundation
import SampleApp
import StoreModel

// B3, B7: payments that wait for a parent, and transactions that wait for a later version of the app.
extension PurchaseStory {
  func askToBuy() async throws {
    open("A parent has to approve (Ask to Buy)")
    try await store.change(CustomerChange(needsApproval: true))
    for isApproved in [true, false] {
      try phone.tell(.buy(product: five, quantity: 1, confirms: true))
      guard case .sheet = try await phone.nextEvent() else { throw DemoFailure("No confirmation was asked for.") }
      check("the payment is deferred", try await phone.nextEvent() == .deferred(product: five))
      try await phone.waitForButton(five, "waiting for approval")
      check("nothing is charged yet", try await store.charges().count == expectedCharges.count)
      try await store.decideApproval(isApproved ? .approve : .decline)
      if isApproved {
        try await takeDelivery(of: five)
        bought(credits: 5, amount: priceOfFive)
        say("Approved: purchased.")
      } else {
        guard case .failed(five, _, _, false, _) = try await phone.nextEvent() else {
          throw DemoFailure("A declined payment did not fail.")
        }
        say("Declined: failed.")
      }
      try await checkBooks()
    }
    try await store.change(CustomerChange(needsApproval: false))
  }

  func buyWhatOnlyALaterVersionKnows() async throws {
    open("A product is bought that this version of the app does not know")
    try phone.launch()
    try await loadPrices()
    try await store.buy(ProductID(twenty), of: BundleID(stage.bundleIdentifier))
    expectedCharges.append(priceOfTwenty)
    let event = try await phone.nextEvent()
    guard case .kept(twenty, let reason) = event else { throw DemoFailure("It was not kept aside: \(event)") }
    say("\"\(reason)\"")
    try await checkBooks()
    let unfinished = try await store.transactions().filter { $0.finishedDate == nil }
    check("it is kept aside, reported and not finished", unfinished.map(\.productId.rawValue) == [twenty])
    try await phone.quit()

    try phone.launch(version: 2)
    try await takeDelivery(of: twenty)
    expectedBalance += RunningApp.creditsOfVersionTwo.credits
    say("A later version of the app, which knows it, is launched.")
    try await checkBooks()
    try await phone.quit()
  }
}
