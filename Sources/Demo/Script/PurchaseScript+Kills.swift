import Foundation
import StoreModel

extension PurchaseScript {
  func killBetweenChargeAndGrant() async throws {
    beginChapter("The app is killed after the charge, before it grants the credits")
    try phone.launch(hold: .charged)
    try await loadPrices()
    try phone.send(.buy(product: five, quantity: 1, confirms: true))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    check("the store has charged, and the app has its response", try await phone.nextEvent() == .holding(.charged))
    expectedCharges.append(priceOfFive)
    check("the store has recorded the charge", try await store.charges().map(\.amount.rawValue) == expectedCharges)
    try await phone.kill()
    explain("The app is killed with SIGKILL.")

    try phone.launch()
    guard case .succeeded(five, let transaction, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("The paid credits were not granted at the next launch.")
    }
    try await phone.waitUntilFinished(transaction)
    expectedBalance += 5
    check(
      "at the next launch the credits are granted, without another sheet: \(balance ?? 0)", balance == expectedBalance)
    try await phone.quit()
    try await checkCharges()
  }

  func killBetweenGrantAndFinish() async throws {
    beginChapter("The app is killed after it granted the credits, before it finished the transaction")
    try phone.launch(hold: .granted)
    try await loadPrices()
    try phone.send(.buy(product: ten, quantity: 1, confirms: true))
    try await checkSheet(title: "10 monkey credits", quantity: 1, unitPrice: "$1.99", total: "$1.99")
    check("the credits are granted", try await phone.nextEvent() == .holding(.granted))
    bought(credits: 10, amount: priceOfTen)
    let unfinished = try await store.transactions().filter { $0.finishedDate == nil }
    check("one transaction is unfinished in the store", unfinished.count == 1)
    let receipt = try await store.verifyReceipt(try await receiptOnPhone().receipt, environment: "sandbox")
    check(
      "the receipt on the phone lists this purchase, and no finished one",
      receipt.receipt?.inApp.map { $0["transaction_id"] } == [unfinished.first?.transactionId.rawValue])
    try await phone.kill()
    explain("The app is killed with SIGKILL.")

    try phone.launch()
    guard case .succeeded(ten, let transaction, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("The unfinished transaction was not delivered again.")
    }
    try await phone.waitUntilFinished(transaction)
    check("the transaction is delivered again, and finished", transaction == unfinished.first?.transactionId.rawValue)
    check("its credits are not granted again: \(balance ?? 0)", balance == expectedBalance)
  }
}
