import Foundation
import SampleModel
import StoreModel

// Credits whose balance the server keeps: one customer, two devices, one balance.
extension DeliveryStory {
  func buyPages(on phone: SampleAppPhone, and tablet: SampleAppPhone, _ servers: ServerStage) async throws {
    open("Pages to print are bought: credits whose books the server keeps")
    try await servers.operators.list(pages, credits: (SampleCatalog.pagesUnit, 50))
    try await buy(pages, on: phone)
    try await takeDelivery(of: pages, on: phone)
    let bought = try await store.transactions().filter { $0.productId.rawValue == pages }.map(\.transactionId.rawValue)
    try await checkCharges([490], of: [bought.last ?? ""])
    try await checkPages(50, on: phone)
    try tablet.launch()
    try await checkPages(50, on: tablet, "the tablet is the same customer's, and shows 50, too")
    try tablet.tell(.spendPages(20, key: UUID()))
    check("20 are spent on the tablet, 30 are left", try await tablet.nextEvent() == .pages(30))
    try await checkPages(30, on: phone, "and on the phone")
    try phone.tell(.spendPages(100, key: UUID()))
    let refused = try await phone.nextEvent()
    guard case .pagesRefused(let reason, let left) = refused else {
      throw DemoFailure("A spend too large was not refused: \(refused)")
    }
    check("100 are refused, and 30 are still there: \(reason)", left == 30)
  }

  func loseTheAnswerToASpend(
    on phone: SampleAppPhone, and tablet: SampleAppPhone, _ servers: ServerStage
  ) async throws {
    open("Pages are spent, the server's answer is lost, and the app killed")
    let key = UUID()
    servers.line.cut(afterBytes: 1)
    try phone.tell(.spendPages(10, key: key))
    let lost = try await phone.nextEvent()
    guard case .pagesUnknown(let reason) = lost else { throw DemoFailure("An answer came: \(lost)") }
    say("\"\(reason)\"")
    try await phone.kill()
    say("SIGKILL to the app. The network is back.")
    servers.line.mend()
    try await checkPages(20, on: tablet, "the server has spent them: on the tablet there are 20")
    try phone.launch()
    check(
      "launched again, the app asks how that spend ended", try await nextEvent(on: phone) == .pagesSettled(spent: 1))
    try await checkPages(20, on: phone, "they were spent once: there are 20")
    try phone.tell(.spendPages(10, key: key))
    check("asked once more with its key, it is the same spend", try await phone.nextEvent() == .pages(20))
    try await checkPages(20, on: tablet, "and nothing more is gone")
  }

  func spendAtOnce(on phone: SampleAppPhone, and tablet: SampleAppPhone) async throws {
    open("Both devices spend 15 of the 20 pages at once")
    for device in [phone, tablet] { try device.tell(.spendPages(15, key: UUID())) }
    var spent = 0
    var refused = 0
    for device in [phone, tablet] {
      switch try await device.nextEvent() {
      case .pages(5): spent += 1
      case .pagesRefused: refused += 1
      case let other: throw DemoFailure("Spending, something else happened: \(other)")
      }
    }
    check("one of them may, the other is refused", spent == 1 && refused == 1)
    for device in [phone, tablet] { try await checkPages(5, on: device) }
    try await tablet.quit()
  }

  private func checkPages(_ count: Int, on phone: SampleAppPhone, _ words: String? = nil) async throws {
    try phone.tell(.showPages)
    check(words ?? "there are \(count) pages", try await phone.nextEvent() == .pages(count))
  }
}
