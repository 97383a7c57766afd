import Foundation
import StoreModel

extension PurchaseStory {
  func showPrices() async throws {
    open("The screen asks for its prices")
    try phone.tell(.showPrices)
    guard case .buttons(let buttons) = try await phone.nextEvent() else { throw DemoFailure("No buttons came.") }
    for product in [five, ten] { say(buttons[product] ?? "no button") }
    check("5 monkey credits cost $0.99", buttons[five] == "5 monkey credits: [Buy $0.99]")
    check("10 monkey credits cost $1.99", buttons[ten] == "10 monkey credits: [Buy $1.99]")
  }

  func buyFive() async throws {
    open("Buy 5 credits")
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    check(
      "nobody is signed in yet, so the customer is asked to",
      try await phone.nextEvent() == .signInSheet(account: "customer"))
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBooks()
    // One request when the network returned, and one by the script. The screen has appeared twice since then without a
    // request.
    check(
      "loaded prices are not asked for each time the screen appears",
      try await store.requests { ($0.call, $0.outcome) = (.device(.products), .answered) }.count == 2)
  }

  func buyFourTens() async throws {
    open("Buy 10 credits, four times at once")
    try await buy(ten, quantity: 4, sheet: ("10 monkey credits", "$1.99", "$7.96"))
    bought(credits: 40, amount: 4 * priceOfTen)
    try await checkBooks()
  }

  func spend() async throws {
    open("Spend 30 credits, then more than there are")
    try phone.tell(.spend(30))
    expectedBalance -= 30
    check("30 are spent, \(expectedBalance) are left", try await phone.nextEvent() == .balance(expectedBalance))
    try phone.tell(.spend(100))
    guard case .spendRefused(let reason, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("A spend too large was not refused.")
    }
    say("\"\(reason)\"")
    check("100 are refused, and \(expectedBalance) are still there", balance == expectedBalance)
  }

  func cancel() async throws {
    open("Begin to buy, and cancel")
    try phone.tell(.buy(product: five, quantity: 1, confirms: false))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    check(
      "the payment failed as cancelled",
      try await phone.nextEvent()
        == .failed(product: five, domain: "SKErrorDomain", code: 2, isCancellation: true, alert: nil))
    try await checkBooks()
  }
}
