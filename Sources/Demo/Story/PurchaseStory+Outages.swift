import AppStoreEmulator
import Foundation
import StoreModel

// C4: the network is lost and returns, at every moment of a purchase.
extension PurchaseStory {
  func openWithoutNetwork() async throws {
    open("The app is opened without a network")
    try phone.launch(isOffline: true)
    try await phone.waitForButton(five, "Network down?")
    check("the buttons are disabled and read \"Network down?\"", phone.buttons[ten] == "Network down?")
    try phone.tell(.goOffline(false))
    say("The network is back.")
    try await phone.waitForButton(five, "Buy $0.99")
    check("the prices come by themselves", phone.buttons[ten] == "Buy $1.99")
    try phone.tell(.appear)
  }

  func loseTheNetworkBeforeTheRequest() async throws {
    open("The network goes before the payment leaves")
    try phone.tell(.goOffline(true))
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    try await phone.waitForButton(five, "purchasing…")
    check(
      "the payment waits in the queue, and nothing is charged", try await store.charges().count == expectedCharges.count
    )
    try phone.tell(.goOffline(false))
    say("The network is back.")
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBooks()
  }

  func loseTheConnectionAtTheStore() async throws {
    open("The connection breaks while the store works, before it has charged")
    try await store.removeRequests()
    try await store.set(Fault(ConnectionResetFault(), scope: FaultScope(calls: [.device(.confirm)]), count: 2))
    try await buy(five, quantity: 1, sheet: ("5 monkey credits", "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    check("the sheet was shown once; the payment was sent three times", try await confirmations() == (3, 1))
    try await checkBooks()
  }

  func loseTheAnswerAfterTheCharge() async throws {
    open("The store has charged, and its answer is lost, twice")
    try await store.removeRequests()
    try await store.set(Fault(AnswerLostFault(), count: 2))
    try await buy(ten, quantity: 2, sheet: ("10 monkey credits", "$1.99", "$3.98"))
    bought(credits: 20, amount: 2 * priceOfTen)
    check("one payment id was confirmed three times, and charged once", try await confirmations() == (3, 1))
    try await checkBooks()
  }

  func outage() async throws {
    open("The whole store is down for a while")
    try await store.set(Fault(OutageFault(), id: "down"))
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    try await store.waitForRequest { ($0.call, $0.faultId) = (.device(.quote), "down") }
    check("nothing is charged while it is down", try await store.charges().count == expectedCharges.count)
    try await store.removeFaults()
    say("The store is up again.")
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBooks()
  }

  func killTheStore() async throws {
    open("The store's own process is killed after it has charged, before it answers")
    try await store.set(Fault(HeldAnswerFault(), id: "held", scope: FaultScope(calls: [.device(.confirm)])))
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    try await store.waitUntilHeld("held")
    try await stage.killAndReopenStore()
    say("SIGKILL. The store is started again.")
    try await takeDelivery(of: five)
    bought(credits: 5, amount: priceOfFive)
    try await checkBooks()
  }

  /// Returns the number of confirmations since the journal of requests was emptied, and the number of distinct payments in
  /// them.
  private func confirmations() async throws -> (Int, Int) {
    let requests = try await store.requests { $0.call = .device(.confirm) }
    return (requests.count, Set(requests.map(\.paymentId)).count)
  }
}
