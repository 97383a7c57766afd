import Foundation
import PurchaseKit
import SampleApp
import SharedFixtures
import StoreKit
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("The sample app's retries", .timeLimit(.minutes(30)))
struct SteadyRetryTests {
  @Test("the sample app refuses a retry interval of zero or less", arguments: ["0", "-1"])
  func refused(milliseconds: String) {
    #expect(throws: (any Error).self) { try SampleAppCommand.parse(["--retry-milliseconds=\(milliseconds)"]) }
  }

  @Test("B7 a purchase of an unknown product is kept pending once, and then the app sends no requests")
  func unknownProduct() async throws {
    let phone = try await UnknownProductPhone()
    let kept = phone.keptProducts()
    phone.manager.start()
    #expect(await kept.first { _ in true } == UnknownProductPhone.product)
    await phone.network.wait(for: .changes)
    // An endless loop of requests would be visible after these.
    for _ in 0..<20 { try await phone.manager.products([UnknownProductPhone.product]) }
    #expect(phone.network.count(.unfinished) <= 2, "one when the app starts, and one when the store notifies it")
    #expect(phone.network.count(.finish) == 0)
    #expect(phone.manager.keptTransactions.count == 1)
    #expect(phone.keptCount == 1)
    try await phone.device.close()
  }

  @Test("C4 if the store refuses to list unfinished transactions, the app retries after each wait, and not before")
  func refusingStore() async throws {
    let phone = try await UnknownProductPhone(owesProduct: false)
    phone.network.refuses = .unfinished
    phone.manager.start()
    for attempt in 1...3 {
      #expect(await phone.clock.nextSleep() == .milliseconds(20))
      for _ in 0..<20 { try await phone.manager.products([UnknownProductPhone.product]) }
      #expect(phone.network.count(.unfinished) == attempt)
      phone.clock.release()
    }
    try await phone.device.close()
  }
}
