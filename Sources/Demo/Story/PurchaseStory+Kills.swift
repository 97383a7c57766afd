import Foundation
import StoreModel

extension PurchaseStory {
  func killBetweenChargeAndGrant() async throws {
    open("The app is killed after the store charged, before it gave the credits")
    try phone.launch(hold: .charged)
    try await loadPrices()
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    check("the store has charged and answered", try await phone.nextEvent() == .holding(.charged))
    expectedCharges.append(priceOfFive)
    check("the charge is in the store's books", try await store.charges().map(\.amount.rawValue) == expectedCharges)
    try await phone.kill()
    say("SIGKILL.")

    try phone.launch()
    guard case .succeeded(five, let transaction, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("The paid credits were not given at the next launch.")
    }
    try await phone.waitUntilFinished(transaction)
    expectedBalance += 5
    check("at the next launch the credits are given, without asking again: \(balance ?? 0)", balance == expectedBalance)
    try await phone.quit()
    try await checkCharges()
  }

  func killBetweenGrantAndFinish() async throws {
    open("The app is killed after it gave the credits, before it finished the transaction")
    try phone.launch(hold: .granted)
    try await loadPrices()
    try phone.tell(.buy(product: ten, quantity: 1, confirms: true))
    try await checkSheet(title: "10 monkey credits", quantity: 1, unitPrice: "$1.99", total: "$1.99")
    check("the credits are given", try await phone.nextEvent() == .holding(.granted))
    bought(credits: 10, amount: priceOfTen)
    let unfinished = try await store.transactions().filter { $0.finishedDate == nil }
    check("the store waits for one finish", unfinished.count == 1)
    let receipt = try await store.verifyReceipt(try await receiptOnPhone().receipt, environment: "sandbox")
    check(
      "the receipt on the phone lists this purchase, and none that is finished",
      receipt.receipt?.inApp.map { $0["transaction_id"] } == [unfinished.first?.transactionId.rawValue])
    try await phone.kill()
    say("SIGKILL.")

    try phone.launch()
    guard case .succeeded(ten, let transaction, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("The unfinished transaction did not come again.")
    }
    try await phone.waitUntilFinished(transaction)
    check("it comes again, and is finished", transaction == unfinished.first?.transactionId.rawValue)
    check("its credits are not given again: \(balance ?? 0)", balance == expectedBalance)
  }
}
