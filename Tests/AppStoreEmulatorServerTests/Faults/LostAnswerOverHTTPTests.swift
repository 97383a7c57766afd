import AppStoreEmulator
import Foundation
import OpenStoreKit
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Connections that break under a purchase over HTTP", .timeLimit(.minutes(30)))
struct LostAnswerOverHTTPTests {
  @Test("C4 B9 the answer is lost after the charge, three times: one charge, one transaction, delivered once")
  func answerLost() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      let phone = try ServedDevice(port: port)
      try store.set(Fault(AnswerLostFault(), id: "lost", count: 3))
      phone.buy()
      let reported = try await phone.nextEnd()
      #expect(reported.state == .purchased)
      let transactions = try await store.transactions()
      #expect(transactions.map(\.record.transactionID.rawValue) == [reported.transaction.transactionIdentifier])
      #expect(try await store.charges().count == 1)
      #expect(try store.fault("lost").remaining == 0)
      // The next delivery is the next purchase, so the first one was not delivered twice.
      phone.buy()
      #expect(try await phone.nextEnd().transaction.transactionIdentifier != reported.transaction.transactionIdentifier)
      _ = try await store.request(RequestFilter(.device(.finish), outcome: .answered))
      try await phone.device.close()
    }
    #expect(try await store.charges().count == 2)
    let confirmations = store.requests(RequestFilter(.device(.confirm)))
    #expect(confirmations.map(\.outcome) == [.noAnswer, .noAnswer, .noAnswer, .answered, .answered])
    #expect(confirmations.prefix(3).allSatisfy { $0.fault?.id == "lost" })
    #expect(Set(confirmations.prefix(4).map(\.metadata.paymentID)).count == 1)
  }

  @Test(
    "C4 any call may be reset, lost, refused for the moment or held, by chance: every purchase ends well, charged once")
  func chaos() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let everything = FaultScope(calls: .everything)
    try await bakery.listening { port async throws in
      let phone = try ServedDevice(port: port)
      try store.set(Fault(ConnectionResetFault(), scope: everything, probability: 0.2, seed: 1))
      try store.set(Fault(AnswerLostFault(), scope: everything, probability: 0.2, seed: 2))
      try store.set(Fault(OutageFault(), scope: everything, probability: 0.1, seed: 3))
      for _ in 0..<20 { phone.buy() }
      var ids = Set<String>()
      while ids.count < 20 {
        let reported = try await phone.nextEnd()
        #expect(reported.state == .purchased)
        #expect(ids.insert(try #require(reported.transaction.transactionIdentifier)).inserted)
      }
      store.removeFaults()
      try await phone.device.close()
    }
    #expect(try await store.charges().count == 20)
    #expect(Set(try await store.transactions().map(\.paymentID)).count == 20)
  }

  @Test("C4 a sheet is held until it is released; the customer confirms it then")
  func heldSheet() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      let phone = try ServedDevice(port: port)
      try store.set(Fault(HeldSheetFault(), id: "sheet", count: 1))
      phone.buy()
      try await store.untilFault("sheet")
      #expect(phone.device.paymentQueue.transactions.map(\.transactionState) == [.purchasing])
      #expect(store.requests(RequestFilter(.device(.confirm))).isEmpty)
      let address = "http://127.0.0.1:\(port)/control/v1/faults/sheet/release"
      let curl = try await Program.run(
        "curl", ["-s", "-X", "POST", "-H", "Content-Type: application/json", address])
      #expect(curl.output == #"{"released":1}"#)
      #expect(try await phone.nextEnd().state == .purchased)
      try await phone.device.close()
    }
    #expect(try await store.charges().count == 1)
  }
}
