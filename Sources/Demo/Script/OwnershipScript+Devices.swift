import SampleModel
import StoreModel

// A product is bought once and owned on every device.
extension OwnershipScript {
  func buyFilters(on phone: SampleAppPhone) async throws {
    beginChapter("A photo filter is bought")
    try phone.launch()
    let before = try await filters(on: phone, after: .apply(product: greyscale))
    check(
      "before the purchase the filter cannot be applied: \(before.alert ?? "")",
      before.colorMatrix == nil && before.alert != nil)
    try await confirm(greyscale, on: phone, price: "$2.99")
    try await takeDelivery(of: greyscale, on: phone)
    let bought = try await filters(on: phone).titles
    check("its button reads \(bought[greyscale] ?? "") at once", bought[greyscale] == "Use greyscale")
    check("the other filter's button still reads \(bought[sepia] ?? "")", bought[sepia] == "Buy $3.99")
    check(
      "the filter can be applied",
      try await filters(on: phone, after: .apply(product: greyscale)).colorMatrix?.count == 20)
    check("the filter can be cleared", try await filters(on: phone, after: .clearFilter).colorMatrix == nil)
    try await confirm(sepia, on: phone, price: "$3.99")
    try await takeDelivery(of: sepia, on: phone)
    try await phone.quit()
    try phone.launch(isOffline: true)
    let later = try await filters(on: phone, after: .apply(product: sepia))
    check(
      "at the next launch, without a network, both filters are owned: \(later.titles[greyscale] ?? ""), \(later.titles[sepia] ?? "")",
      later.titles == [greyscale: "Use greyscale", sepia: "Use sepia"] && later.colorMatrix != nil)
    try await phone.quit()
    try await checkCharges([2_990, 3_990])
  }

  func restore(on phone: SampleAppPhone) async throws {
    beginChapter("Restore purchases on a second phone")
    try phone.launch(isOffline: true)
    try phone.send(.restore(on: .filters))
    guard case .restoreEnded(let offline) = try await phone.nextEvent() else {
      throw DemoFailure("The restore did not end.")
    }
    check("without a network an alert is shown: \(offline)", !offline.isEmpty)
    try phone.send(.goOffline(false))
    try phone.send(.restore(on: .filters))
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    try phone.send(.restore(on: .filters))
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    // Finishing is asynchronous, and the store does not acknowledge the finish of restored transactions.
    try phone.send(.waitForEmptyQueue)
    check(
      "each restore has the same result, and the queue is empty",
      try await phone.nextEvent() == .queue(0))
    try await phone.quit()
    try await checkCharges([2_990, 3_990])
  }

  /// Waits until both filters are restored and the restoration has ended.
  func expectRestored(on phone: SampleAppPhone, message: String) async throws {
    var granted: Set<String> = []
    while true {
      switch try await nextEvent(on: phone) {
      case .succeeded(let product, _, _): granted.insert(product)
      case .restoreEnded(let shown):
        check("\(granted.count) filters are granted, and a message is shown: \(shown)", granted == [greyscale, sepia])
        check("the message has the number of purchases", shown == message)
        let titles = try await filters(on: phone).titles
        return check("both filters can be applied", titles == [greyscale: "Use greyscale", sepia: "Use sepia"])
      case let other: throw DemoFailure("Unexpected event during a restore: \(other)")
      }
    }
  }

  func buyAgain(on phone: SampleAppPhone) async throws {
    beginChapter("The customer buys an owned filter again, on a third phone")
    try phone.launch()
    try await confirm(sepia, on: phone, price: "$3.99")
    let message = try await phone.nextEvent()
    check("StoreKit shows that it was bought before", message == .boughtBefore(title: "Sepia"))
    try await takeDelivery(of: sepia, on: phone)
    check("its button reads Use sepia", try await filters(on: phone).titles[sepia] == "Use sepia")
    try await phone.quit()
    try await checkCharges([2_990, 3_990])
  }

  func refund(on phone: SampleAppPhone) async throws {
    beginChapter("Refund of a filter")
    try phone.launch()
    _ = try await filters(on: phone, after: .apply(product: sepia))
    guard let bought = try await store.transactions().last(where: { $0.productId.rawValue == sepia }) else {
      throw DemoFailure("The store has no transaction for \(sepia).")
    }
    try await store.refund(bought.transactionId)
    check("the running app is notified of the refund", try await phone.nextEvent() == .revoked(products: [sepia]))
    let lost = try await filters(on: phone)
    check(
      "the filter is removed, and its button reads Buy",
      lost.colorMatrix == nil && lost.titles[sepia]?.hasPrefix("Buy") == true)
    check("the other filter stays owned", lost.titles[greyscale] == "Use greyscale")
    try await confirm(sepia, on: phone, price: "$3.99")
    try await takeDelivery(of: sepia, on: phone)
    check("after another purchase the filter is owned again", try await filters(on: phone).titles[sepia] == "Use sepia")
    try await phone.quit()
    try await checkCharges([2_990, 3_990, 3_990])
  }
}
