import Foundation
import SampleModel
import SignedData
import StoreModel

/// The story of the sample app's consumables, told and checked step by step.
///
/// It keeps books of its own, by adding up what each step must have done, and compares them with the app's balance and
/// the store's charges and transactions.
final class PurchaseStory {
  private let store: StoreBooks
  private let phone: SampleAppPhone
  private(set) var checks = 0
  private(set) var failures = 0
  private var chapter = 0

  private var expectedBalance = 0
  private var expectedCharges: [Int64] = []

  private let five = SampleCatalog.fiveCredits
  private let ten = SampleCatalog.tenCredits
  private let priceOfFive: Int64 = 990
  private let priceOfTen: Int64 = 1990

  init(store: StoreBooks, phone: SampleAppPhone) {
    self.store = store
    self.phone = phone
  }

  func play() async throws {
    try phone.launch()
    try await showPrices()
    try await buyFive()
    try await buyFourTens()
    try await spend()
    try await cancel()
    try await verifyReceipt()
    try await phone.quit()
    try await killBetweenChargeAndGrant()
    try await killBetweenGrantAndFinish()
    try await closeTheBooks()
    try await phone.quit()
  }

  // MARK: Chapters

  private func showPrices() async throws {
    open("The screen asks for its prices")
    try phone.tell(.showPrices)
    guard case .buttons(let buttons) = try await phone.nextEvent() else { throw DemoFailure("No buttons came.") }
    for product in [five, ten] { say(buttons[product] ?? "no button") }
    check("5 monkey credits cost $0.99", buttons[five] == "5 monkey credits: [Buy $0.99]")
    check("10 monkey credits cost $1.99", buttons[ten] == "10 monkey credits: [Buy $1.99]")
  }

  private func buyFive() async throws {
    open("Buy 5 credits")
    try await buy(five, quantity: 1, sheet: ("5 monkey credits", "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBooks()
  }

  private func buyFourTens() async throws {
    open("Buy 10 credits, four times at once")
    try await buy(ten, quantity: 4, sheet: ("10 monkey credits", "$1.99", "$7.96"))
    bought(credits: 40, amount: 4 * priceOfTen)
    try await checkBooks()
  }

  private func spend() async throws {
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

  private func cancel() async throws {
    open("Begin to buy, and cancel")
    try phone.tell(.buy(product: five, quantity: 1, confirms: false))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    check(
      "the payment failed as cancelled",
      try await phone.nextEvent()
        == .failed(product: five, domain: "SKErrorDomain", code: 2, isCancellation: true))
    try await checkBooks()
  }

  private func verifyReceipt() async throws {
    open("The developer's server asks about the app's receipt")
    let (receipt, deviceID) = try await receiptOnPhone()
    let production = try await store.verifyReceipt(receipt, environment: "production")
    check("production says 21007: it is a sandbox receipt", production.status == 21007)
    let sandbox = try await store.verifyReceipt(receipt, environment: "sandbox")
    check("the sandbox says 0: it is valid", sandbox.status == 0 && sandbox.environment == "Sandbox")
    let purchase = sandbox.receipt?.inApp.first
    say(
      "\(purchase?["quantity"] ?? "?") × \(purchase?["product_id"] ?? "?"), bought \(purchase?["purchase_date"] ?? "?")"
    )
    check(
      "it lists the last purchase, with its quantity",
      sandbox.receipt?.inApp.count == 1 && purchase?["product_id"] == ten && purchase?["quantity"] == "4")
    let transactions = try await store.transactions()
    check("under the store's own transaction id", purchase?["transaction_id"] == transactions.last?.transactionId)

    let connection = try await store.connection()
    let verifier = SignedDataVerifier(
      anchors: TrustAnchors(certificates: [[UInt8](connection.receiptRootCertificate)]))
    let verified = try await verifier.verifyAppReceipt(
      receipt,
      expecting: Expectation(
        bundleID: BundleID(SampleCatalog.bundleIdentifier), environments: [.sandbox],
        device: DeviceIdentifier(deviceID)))
    check("it also verifies offline, for this very device", verified.value.inAppPurchases.count == 1)
  }

  private func killBetweenChargeAndGrant() async throws {
    open("The app is killed after the store charged, before it gave the credits")
    try phone.launch(hold: .charged)
    try await loadPrices()
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    check("the store has charged and answered", try await phone.nextEvent() == .holding(.charged))
    expectedCharges.append(priceOfFive)
    check("the charge is in the store's books", try await store.charges().map(\.amount) == expectedCharges)
    try await phone.kill()
    say("SIGKILL.")

    try phone.launch()
    guard case .succeeded(five, let transaction, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("The paid credits were not given at the next launch.")
    }
    try await phone.waitUntilFinished(transaction)
    expectedBalance += 5
    check("at the next launch the credits are given, without asking again: \(balance)", balance == expectedBalance)
    try await phone.quit()
    try await checkCharges()
  }

  private func killBetweenGrantAndFinish() async throws {
    open("The app is killed after it gave the credits, before it finished the transaction")
    try phone.launch(hold: .granted)
    try await loadPrices()
    try phone.tell(.buy(product: ten, quantity: 1, confirms: true))
    try await checkSheet(title: "10 monkey credits", quantity: 1, unitPrice: "$1.99", total: "$1.99")
    check("the credits are given", try await phone.nextEvent() == .holding(.granted))
    bought(credits: 10, amount: priceOfTen)
    let unfinished = try await store.transactions().filter { $0.finishedDate == nil }
    check("the store waits for one finish", unfinished.count == 1)
    try await phone.kill()
    say("SIGKILL.")

    try phone.launch()
    guard case .succeeded(ten, let transaction, let balance) = try await phone.nextEvent() else {
      throw DemoFailure("The unfinished transaction did not come again.")
    }
    try await phone.waitUntilFinished(transaction)
    check("it comes again, and is finished", transaction == unfinished.first?.transactionId)
    check("its credits are not given again: \(balance)", balance == expectedBalance)
  }

  private func closeTheBooks() async throws {
    open("The books are closed")
    try await checkBooks()
    let transactions = try await store.transactions()
    for transaction in transactions {
      say(
        "\(transaction.transactionId)  \(transaction.quantity) × \(transaction.productId)  \(money(transaction.price))")
    }
    check("four purchases are \(expectedCharges.count) transactions", transactions.count == expectedCharges.count)
    check("every transaction is finished", transactions.allSatisfy { $0.finishedDate != nil })
    let receipt = try await store.verifyReceipt(try await receiptOnPhone().receipt, environment: "sandbox")
    check(
      "the receipt on the phone lists the last of them and no other",
      receipt.receipt?.inApp.map { $0["transaction_id"] } == [transactions.last?.transactionId])
    check("each was charged once", Set(try await store.charges().map(\.transactionId)).count == transactions.count)
    say("Charged in all: \(money(expectedCharges.reduce(0, +))). Left to spend: \(expectedBalance) monkey credits.")
  }

  // MARK: Steps

  private func receiptOnPhone() async throws -> (receipt: Data, deviceID: String) {
    try phone.tell(.showReceipt)
    guard case .receipt(let path?, let deviceID) = try await phone.nextEvent() else {
      throw DemoFailure("There is no receipt at Bundle.main.appStoreReceiptURL.")
    }
    return (try Data(contentsOf: URL(filePath: path)), deviceID)
  }

  private func loadPrices() async throws {
    try phone.tell(.showPrices)
    guard case .buttons = try await phone.nextEvent() else { throw DemoFailure("No buttons came.") }
  }

  private func buy(
    _ product: String, quantity: Int, sheet: (title: String, unitPrice: String, total: String)
  ) async throws {
    try phone.tell(.buy(product: product, quantity: quantity, confirms: true))
    try await checkSheet(title: sheet.title, quantity: quantity, unitPrice: sheet.unitPrice, total: sheet.total)
    guard case .succeeded(product, let transaction, _) = try await phone.nextEvent() else {
      throw DemoFailure("The purchase of \(product) did not succeed.")
    }
    try await phone.waitUntilFinished(transaction)
  }

  private func checkSheet(title: String, quantity: Int, unitPrice: String, total: String) async throws {
    let event = try await phone.nextEvent()
    guard case .sheet(let shownTitle, let shownQuantity, let shownUnit, let shownTotal) = event else {
      throw DemoFailure("No confirmation was asked for; instead: \(event)")
    }
    say("Sheet: \(shownTitle), \(shownQuantity) × \(shownUnit) = \(shownTotal)")
    check(
      "the sheet shows quantity, unit price and total",
      event == .sheet(title: title, quantity: quantity, unitPrice: unitPrice, total: total))
  }

  private func bought(credits: Int, amount: Int64) {
    expectedBalance += credits
    expectedCharges.append(amount)
  }

  private func checkBooks() async throws {
    try phone.tell(.showBalance)
    check("the app has \(expectedBalance) credits", try await phone.nextEvent() == .balance(expectedBalance))
    try await checkCharges()
  }

  private func checkCharges() async throws {
    let charges = try await store.charges()
    check(
      "the store has charged \(expectedCharges.map(money).joined(separator: ", "))",
      charges.map(\.amount) == expectedCharges && charges.allSatisfy { $0.currency == "USD" })
  }

  // MARK: Telling

  private func open(_ title: String) {
    chapter += 1
    writeLine("\n\(chapter). \(title)")
  }

  private func say(_ text: String) { writeLine("     \(text)") }

  private func check(_ statement: String, _ holds: Bool) { note(statement, holds: holds) }

  func note(_ statement: String, holds: Bool) {
    checks += 1
    if !holds { failures += 1 }
    writeLine("   \(holds ? "✓" : "✗") \(statement)")
  }

  private func money(_ milliunits: Int64) -> String {
    Price(amount: Milliunits(milliunits), currency: "USD").formatted(locale: Locale(identifier: "en_US"))
  }
}
