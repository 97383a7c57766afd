import ControlAPI
import Foundation
import SampleApp
import SampleModel
import StoreModel

/// The part of the script about consumables: all of requirements B and C, step by step.
///
/// It computes the expected balance and charges of each step, and compares them with the app's balance and the store's
/// charges and transactions.
final class PurchaseScript: ScriptPart {
  let phone: SampleAppPhone

  var expectedBalance = 0
  var expectedCharges: [Int64] = []

  let five = SampleCatalog.fiveCredits
  let ten = SampleCatalog.tenCredits
  let twenty = RunningApp.creditsOfVersionTwo.product
  let priceOfFive: Int64 = 990
  let priceOfTen: Int64 = 1990
  let priceOfTwenty: Int64 = 2990

  init(environment: ScriptEnvironment, store: ControlAPIClient, reporter: ScriptReporter, phone: SampleAppPhone) {
    self.phone = phone
    super.init(environment: environment, store: store, reporter: reporter)
  }

  func run() async throws {
    try await openWithoutNetwork()
    try await showPrices()
    try await buyFive()
    try await buyFourTens()
    try await spend()
    try await cancel()
    try await verifyReceipt()
    try await loseTheNetworkBeforeTheRequest()
    try await loseTheConnectionAtTheStore()
    try await loseTheAnswerAfterTheCharge()
    try await outage()
    try await killTheStore()
    try await failAsStoresFail()
    try await failWithEveryCode()
    try await declineTheCard()
    try await interrupt()
    try await changeThePrice()
    try await askToBuy()
    try await restrict()
    try await phone.quit()
    try await buyWhatOnlyALaterVersionKnows()
    try await killBetweenChargeAndGrant()
    try await killBetweenGrantAndFinish()
    try await checkAllRecords()
    try await phone.quit()
  }

  // MARK: The end

  func checkAllRecords() async throws {
    beginChapter("All records of the store")
    try await checkBalanceAndCharges()
    let transactions = try await store.transactions()
    for transaction in transactions {
      explain(
        "\(transaction.transactionId)  \(transaction.quantity) × \(transaction.productId)  \(money(transaction.price.rawValue))"
      )
    }
    check("each purchase has one transaction: \(expectedCharges.count)", transactions.count == expectedCharges.count)
    check("each transaction is finished", transactions.allSatisfy { $0.finishedDate != nil })
    check(
      "each transaction was charged once",
      Set(try await store.charges().map(\.transactionId)).count == transactions.count)
    explain("Total charges: \(money(expectedCharges.reduce(0, +))). Balance: \(expectedBalance) monkey credits.")
  }

  // MARK: Steps

  func buy(
    _ product: String, quantity: Int, sheet: (title: String, unitPrice: String, total: String)
  ) async throws {
    try phone.send(.buy(product: product, quantity: quantity, confirms: true))
    try await checkSheet(title: sheet.title, quantity: quantity, unitPrice: sheet.unitPrice, total: sheet.total)
    try await takeDelivery(of: product)
  }

  /// Continues a started purchase from its sheet to its end.
  func finishPurchase(
    of product: String, sheet: (title: String, quantity: Int, unitPrice: String, total: String)
  ) async throws {
    try await checkSheet(
      title: sheet.title, quantity: sheet.quantity, unitPrice: sheet.unitPrice, total: sheet.total)
    try await takeDelivery(of: product)
  }

  /// Returns when the app has granted `product` and the store has acknowledged the finish.
  func takeDelivery(of product: String) async throws {
    let event = try await phone.nextEvent()
    guard case .succeeded(product, let transaction, _) = event else {
      throw DemoFailure("The purchase of \(product) did not succeed: \(event)")
    }
    try await phone.waitUntilFinished(transaction)
  }

  /// Returns when the app has its prices.
  func loadPrices() async throws {
    try phone.send(.showPrices)
    guard case .buttons = try await phone.nextEvent() else { throw DemoFailure("The app did not report its buttons.") }
  }

  func queueIsEmpty() async throws -> Bool {
    try phone.send(.showQueue)
    return try await phone.nextEvent() == .queue(0)
  }

  func checkSheet(title: String, quantity: Int, unitPrice: String, total: String) async throws {
    let event = try await phone.nextEvent()
    guard case .sheet(let shownTitle, let shownQuantity, let shownUnit, let shownTotal) = event else {
      throw DemoFailure("No confirmation sheet was shown, but: \(event)")
    }
    explain("Sheet: \(shownTitle), \(shownQuantity) × \(shownUnit) = \(shownTotal)")
    check(
      "the sheet shows quantity, unit price and total",
      event == .sheet(title: title, quantity: quantity, unitPrice: unitPrice, total: total))
  }

  func bought(credits: Int, amount: Int64) {
    expectedBalance += credits
    expectedCharges.append(amount)
  }

  func checkBalanceAndCharges() async throws {
    try phone.send(.showBalance)
    check("the app has \(expectedBalance) credits", try await phone.nextEvent() == .balance(expectedBalance))
    try await checkCharges()
  }

  func checkCharges() async throws {
    let charges = try await store.charges()
    check(
      "the store has charged \(expectedCharges.map(money).joined(separator: ", "))",
      charges.map(\.amount.rawValue) == expectedCharges && charges.allSatisfy { $0.currency == "USD" })
  }
}
