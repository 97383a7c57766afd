import AppStoreEmulator
import Foundation
import StoreModel

// Requirement C4: the network is lost and returns, at every moment of a purchase.
extension PurchaseScript {
  func openWithoutNetwork() async throws {
    beginChapter("The app is launched without a network")
    try phone.launch(isOffline: true)
    try await phone.waitForButton(five, "Network down?")
    check("the buttons are disabled and read \"Network down?\"", phone.buttons[ten] == "Network down?")
    try phone.send(.goOffline(false))
    explain("The network is back.")
    try await phone.waitForButton(five, "Buy $0.99")
    check("the prices are loaded automatically", phone.buttons[ten] == "Buy $1.99")
    try phone.send(.appear)
  }

  func loseTheNetworkBeforeTheRequest() async throws {
    beginChapter("The network is lost before the payment is sent")
    try phone.send(.goOffline(true))
    try phone.send(.buy(product: five, quantity: 1, confirms: true))
    try await phone.waitForButton(five, "Purchasing…")
    check(
      "the payment waits in the queue, and nothing is charged", try await store.charges().count == expectedCharges.count
    )
    try phone.send(.goOffline(false))
    explain("The network is back.")
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBalanceAndCharges()
  }

  func loseTheConnectionAtTheStore() async throws {
    beginChapter("The connection to the store breaks before the charge")
    try await store.removeRequests()
    try await store.set(Fault(ConnectionResetFault(), scope: FaultScope(calls: [.device(.confirm)]), count: 2))
    try await buy(five, quantity: 1, sheet: ("5 monkey credits", "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    check("the sheet was shown once; the payment was sent three times", try await confirmations() == (3, 1))
    try await checkBalanceAndCharges()
  }

  func loseTheAnswerAfterTheCharge() async throws {
    beginChapter("The store charges, and its response is lost twice")
    try await store.removeRequests()
    try await store.set(Fault(AnswerLostFault(), count: 2))
    try await buy(ten, quantity: 2, sheet: ("10 monkey credits", "$1.99", "$3.98"))
    bought(credits: 20, amount: 2 * priceOfTen)
    check("one payment id was confirmed three times, and charged once", try await confirmations() == (3, 1))
    try await checkBalanceAndCharges()
  }

  func outage() async throws {
    beginChapter("Outage of the whole store")
    try await store.set(Fault(OutageFault(), id: "down"))
    try phone.send(.buy(product: five, quantity: 1, confirms: true))
    try await store.waitForRequest { ($0.call, $0.faultId) = (.device(.quote), "down") }
    check("nothing is charged while it is down", try await store.charges().count == expectedCharges.count)
    try await store.removeFaults()
    explain("The store is up again.")
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBalanceAndCharges()
  }

  func killTheStore() async throws {
    beginChapter("The store's process is killed after the charge, before its response")
    try await store.set(Fault(HeldAnswerFault(), id: "held", scope: FaultScope(calls: [.device(.confirm)])))
    try phone.send(.buy(product: five, quantity: 1, confirms: true))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    try await store.waitUntilHeld("held")
    try await environment.killAndReopenStore()
    explain("The store is killed with SIGKILL, and started again.")
    try await takeDelivery(of: five)
    bought(credits: 5, amount: priceOfFive)
    try await checkBalanceAndCharges()
  }

  /// Returns the number of confirmations since the journal of requests was emptied, and the number of distinct payments
  /// in them.
  private func confirmations() async throws -> (Int, Int) {
    let requests = try await store.requests { $0.call = .device(.confirm) }
    return (requests.count, Set(requests.map(\.paymentId)).count)
  }
}
