import SampleModel
import StoreModel

// A product is bought once and owned on every device.
extension OwnershipStory {
  func buyFilters(on phone: SampleAppPhone) async throws {
    open("A photo filter is bought")
    try phone.launch()
    let before = try await filters(on: phone, after: .apply(product: greyscale))
    check(
      "before, the filter stays in the app: \(before.alert ?? "")", before.colorMatrix == nil && before.alert != nil)
    try await confirm(greyscale, on: phone, price: "$2.99")
    try await takeDelivery(of: greyscale, on: phone)
    let bought = try await filters(on: phone).titles
    check("its button reads \(bought[greyscale] ?? "") at once", bought[greyscale] == "Use greyscale")
    check("the other one still reads \(bought[sepia] ?? "")", bought[sepia] == "Buy $3.99")
    check("it can be applied", try await filters(on: phone, after: .apply(product: greyscale)).colorMatrix?.count == 20)
    check("and cleared", try await filters(on: phone, after: .clearFilter).colorMatrix == nil)
    try await confirm(sepia, on: phone, price: "$3.99")
    try await takeDelivery(of: sepia, on: phone)
    try await phone.quit()
    try phone.launch(isOffline: true)
    let later = try await filters(on: phone, after: .apply(product: sepia))
    check(
      "at the next launch, without a network, both are there: \(later.titles[greyscale] ?? ""), \(later.titles[sepia] ?? "")",
      later.titles == [greyscale: "Use greyscale", sepia: "Use sepia"] && later.colorMatrix != nil)
    try await phone.quit()
    try await checkCharges([2_990, 3_990])
  }

  func restore(on phone: SampleAppPhone) async throws {
    open("On a second phone, the customer restores")
    try phone.launch(isOffline: true)
    try phone.tell(.restore)
    guard case .restoreEnded(let offline) = try await phone.nextEvent() else { throw DemoFailure("No end was told.") }
    check("without a network it says so: \(offline)", !offline.isEmpty)
    try phone.tell(.goOffline(false))
    try phone.tell(.restore)
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    try phone.tell(.restore)
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    // Finishing is asynchronous, and the store does not acknowledge the finish of restored transactions.
    try phone.tell(.waitForEmptyQueue)
    check(
      "any number of times, with the same result, and nothing is left in the queue",
      try await phone.nextEvent() == .queue(0))
    try await phone.quit()
    try await checkCharges([2_990, 3_990])
  }

  /// Waits until both filters are restored and the restoration has ended.
  func expectRestored(on phone: SampleAppPhone, message: String) async throws {
    var given: Set<String> = []
    while true {
      switch try await nextEvent(on: phone) {
      case .succeeded(let product, _, _): given.insert(product)
      case .restoreEnded(let told):
        check("\(given.count) filters are given, and the customer is told: \(told)", given == [greyscale, sepia])
        check("in so many words", told == message)
        let titles = try await filters(on: phone).titles
        return check("both can be applied", titles == [greyscale: "Use greyscale", sepia: "Use sepia"])
      case let other: throw DemoFailure("Restoring, something else happened: \(other)")
      }
    }
  }

  func buyAgain(on phone: SampleAppPhone) async throws {
    open("On a third phone, the customer has forgotten, and buys again")
    try phone.launch()
    try await confirm(sepia, on: phone, price: "$3.99")
    let told = try await phone.nextEvent()
    check("the customer is told that it was bought before", told == .boughtBefore(title: "Sepia"))
    try await takeDelivery(of: sepia, on: phone)
    check("its button reads Use sepia", try await filters(on: phone).titles[sepia] == "Use sepia")
    try await phone.quit()
    try await checkCharges([2_990, 3_990])
  }

  func refund(on phone: SampleAppPhone) async throws {
    open("The customer is given the money for a filter back")
    try phone.launch()
    _ = try await filters(on: phone, after: .apply(product: sepia))
    guard let bought = try await store.transactions().last(where: { $0.productId.rawValue == sepia }) else {
      throw DemoFailure("The store has no transaction for \(sepia).")
    }
    try await store.refund(bought.transactionId)
    check("the running app hears of it", try await phone.nextEvent() == .revoked(products: [sepia]))
    let lost = try await filters(on: phone)
    check(
      "the filter is off, and its button reads Buy again",
      lost.colorMatrix == nil && lost.titles[sepia]?.hasPrefix("Buy") == true)
    check("the other one stays", lost.titles[greyscale] == "Use greyscale")
    try await confirm(sepia, on: phone, price: "$3.99")
    try await takeDelivery(of: sepia, on: phone)
    check("bought again it is there again", try await filters(on: phone).titles[sepia] == "Use sepia")
    try await phone.quit()
    try await checkCharges([2_990, 3_990, 3_990])
  }
}
