import Foundation
import SampleModel
import StoreModel

// Credits whose balance the server keeps: one customer, two devices, one balance.
extension DeliveryScript {
  func buyPages(on phone: SampleAppPhone, and tablet: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("Pages to print: credits whose balance the server keeps")
    try await servers.operators.list(pages, credits: (SampleCatalog.pagesUnit, 50))
    try await buy(pages, on: phone)
    try await takeDelivery(of: pages, on: phone)
    let bought = try await store.transactions().filter { $0.productId.rawValue == pages }.map(\.transactionId.rawValue)
    try await checkCharges([490], of: [bought.last ?? ""])
    try await checkPages(50, on: phone)
    try tablet.launch()
    try await checkPages(50, on: tablet, "the tablet, with the same customer, also shows 50")
    try tablet.send(.spendPages(20, key: UUID()))
    check("20 are spent on the tablet, and the balance is 30", try await tablet.nextEvent() == .pages(30))
    try await checkPages(30, on: phone, "the phone shows the same balance")
    try phone.send(.spendPages(100, key: UUID()))
    let refused = try await phone.nextEvent()
    guard case .pagesRefused(let reason, let left) = refused else {
      throw DemoFailure("A spend above the balance was not refused: \(refused)")
    }
    check("spending 100 is refused, and the balance is still 30: \(reason)", left == 30)
  }

  func loseTheAnswerToASpend(
    on phone: SampleAppPhone, and tablet: SampleAppPhone, _ servers: PurchaseServerGroup
  ) async throws {
    beginChapter("Pages are spent, the server's response is lost, and the app is killed")
    let key = UUID()
    servers.proxy.cut(afterBytes: 1)
    try phone.send(.spendPages(10, key: key))
    let lost = try await phone.nextEvent()
    guard case .pagesUnknown(let reason) = lost else { throw DemoFailure("A response arrived: \(lost)") }
    explain("\"\(reason)\"")
    try await phone.kill()
    explain("The app is killed with SIGKILL. The network is back.")
    servers.proxy.restore()
    try await checkPages(20, on: tablet, "the server has recorded the spend: the tablet shows 20")
    try phone.launch()
    check(
      "after the launch the app requests the result of the spend",
      try await nextEvent(on: phone) == .spendsSettled(spent: 1))
    try await checkPages(20, on: phone, "the pages were spent once: the balance is 20")
    try phone.send(.spendPages(10, key: key))
    check("a retry with the same key does not spend again", try await phone.nextEvent() == .pages(20))
    try await checkPages(20, on: tablet, "the tablet also shows 20")
  }

  func spendAtOnce(on phone: SampleAppPhone, and tablet: SampleAppPhone) async throws {
    beginChapter("Both devices spend 15 of the 20 pages at once")
    for device in [phone, tablet] { try device.send(.spendPages(15, key: UUID())) }
    var spent = 0
    var refused = 0
    for device in [phone, tablet] {
      switch try await device.nextEvent() {
      case .pages(5): spent += 1
      case .pagesRefused: refused += 1
      case let other: throw DemoFailure("Unexpected event during a spend: \(other)")
      }
    }
    check("one spend succeeds, the other is refused", spent == 1 && refused == 1)
    for device in [phone, tablet] { try await checkPages(5, on: device) }
    try await tablet.quit()
  }

  /// Checks the sample app with `--server-credits`. The server then stores the monkey credits as well, so a new phone
  /// of the customer shows them.
  func keepCreditsOnServer(
    on phone: SampleAppPhone, and newer: SampleAppPhone, _ servers: PurchaseServerGroup
  ) async throws {
    let credits = SampleCatalog.fiveCredits
    beginChapter("Monkey credits on the server: they reach a new phone, and survive a reinstallation")
    try await servers.operators.list(credits, credits: (SampleCatalog.serverCreditsUnit, 5))
    try phone.launch()
    try await restoreBooks(on: phone, later: [almanac])
    try await buy(credits, on: phone)
    try await takeDelivery(of: credits, on: phone)
    try phone.send(.spend(2, key: UUID()))
    check("5 credits are bought and 2 are spent: 3 are left", try await phone.nextEvent() == .balance(3))
    try await phone.quit()
    try newer.launch()
    try await restoreBooks(on: newer, later: [almanac])
    try newer.send(.showBalance)
    check("a new phone of the customer shows 3 credits after a restore", try await newer.nextEvent() == .balance(3))
    servers.proxy.cut(afterBytes: 1)
    try newer.send(.spend(1, key: UUID()))
    let lost = try await newer.nextEvent()
    servers.proxy.restore()
    guard case .balanceUnknown(let reason) = lost else { throw DemoFailure("A response arrived: \(lost)") }
    explain("The response to a spend of 1 is lost: \"\(reason)\"")
    try await newer.quit()
    try newer.launch()
    check(
      "after the launch the app requests the result of the spend",
      try await nextEvent(on: newer) == .spendsSettled(spent: 1))
    try newer.send(.showBalance)
    check("the credit was spent once: 2 are left", try await newer.nextEvent() == .balance(2))
    try await newer.quit()
    try phone.removeApp()
    try phone.launch()
    try await restoreBooks(on: phone, later: [almanac])
    try phone.send(.showBalance)
    check(
      "the first phone shows 2, too, after the app was deleted and installed again",
      try await phone.nextEvent() == .balance(2))
    try await phone.quit()
  }

  private func checkPages(_ count: Int, on phone: SampleAppPhone, _ description: String? = nil) async throws {
    try phone.send(.showPages)
    check(description ?? "the balance is \(count) pages", try await phone.nextEvent() == .pages(count))
  }
}
