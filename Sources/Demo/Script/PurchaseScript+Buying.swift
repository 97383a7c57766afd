import Foundation
import StoreModel

extension PurchaseScript {
  func showPrices() async throws {
    beginChapter("The screen requests its prices")
    try phone.send(.showPrices)
    guard case .buttons(let buttons) = try await phone.nextEvent() else {
      throw DemoFailure("The app did not report its buttons.")
    }
    for product in [five, ten] { explain(buttons[product] ?? "no button") }
    check("5 monkey credits cost $0.99", buttons[five] == "5 monkey credits: [Buy $0.99]")
    check("10 monkey credits cost $1.99", buttons[ten] == "10 monkey credits: [Buy $1.99]")
  }

  func buyFive() async throws {
    beginChapter("Buy 5 credits")
    try phone.send(.buy(product: five, quantity: 1, confirms: true))
    check(
      "no account is signed in, so the sign-in sheet is shown",
      try await phone.nextEvent() == .signInSheet(account: "customer"))
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBalanceAndCharges()
    // The app sent the first request when the network returned, and the second for the script. The screen has appeared
    // twice since then without a request.
    check(
      "loaded prices are not requested again when the screen appears",
      try await store.requests { ($0.call, $0.outcome) = (.device(.products), .answered) }.count == 2)
  }

  func buyFourTens() async throws {
    beginChapter("Buy 10 credits, four times at once")
    try await buy(ten, quantity: 4, sheet: ("10 monkey credits", "$1.99", "$7.96"))
    bought(credits: 40, amount: 4 * priceOfTen)
    try await checkBalanceAndCharges()
  }

  func spend() async throws {
    beginChapter("Spend 30 credits, then more than the balance")
    try phone.send(.spend(30, key: UUID()))
    expectedBalance -= 30
    check(
      "30 are spent, and the balance is \(expectedBalance)", try await phone.nextEvent() == .balance(expectedBalance))
    try phone.send(.spend(100, key: UUID()))
    guard case .spendRefused(let reason, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("A spend above the balance was not refused.")
    }
    explain("\"\(reason)\"")
    check("spending 100 is refused, and the balance is still \(expectedBalance)", balance == expectedBalance)
  }

  func cancel() async throws {
    beginChapter("Start a purchase, and cancel it")
    try phone.send(.buy(product: five, quantity: 1, confirms: false))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    check(
      "the payment failed as cancelled",
      try await phone.nextEvent()
        == .failed(product: five, domain: "SKErrorDomain", code: 2, isCancellation: true, alert: nil))
    try await checkBalanceAndCharges()
  }
}
