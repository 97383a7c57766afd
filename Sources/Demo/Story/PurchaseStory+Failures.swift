import AppStoreEmulator
import ControlAPI
import Foundation
import SampleApp
import StoreKit
import StoreModel

// C1, C2, C3: payments that fail in different ways.
extension PurchaseStory {
  func failAsStoresFail() async throws {
    open("The store fails, in the ways that real stores do")
    for (domain, code) in [("SKErrorDomain", 0), ("SSServerErrorDomain", 5002), ("SSServerErrorDomain", 5020)] {
      let event = try await failure(AppError(domain: domain, code: code))
      guard case .failed(_, let givenDomain, let givenCode, let isCancellation, let alert) = event else {
        throw DemoFailure("The payment did not fail: \(event)")
      }
      say("\"\(alert ?? "")\"")
      check(
        "the payment fails with \(domain) \(code), and the customer is told",
        givenDomain == domain && givenCode == code && !isCancellation && alert != nil)
    }
    let disguised = try await failure(
      AppError(
        domain: "SKErrorDomain", code: 907, underlying: AppError.Underlying(domain: "AMSErrorDomain", code: 6)))
    check(
      "SKErrorDomain 907 over AMSErrorDomain 6 is a cancellation in disguise: no alert",
      disguised == .failed(product: five, domain: "SKErrorDomain", code: 907, isCancellation: true, alert: nil))
    try await checkBooks()
  }

  func failWithEveryCode() async throws {
    open("The store fails with every code of SKError")
    var wrong: [Int] = []
    for code in 0...SKError.Code.paymentMethodBindingConfigurationRequired.rawValue {
      let event = try await failure(AppError(domain: "SKErrorDomain", code: code))
      guard case .failed(five, "SKErrorDomain", code, let isCancellation, _) = event, isCancellation == (code == 2)
      else {
        wrong.append(code)
        continue
      }
    }
    check("each reaches the app as itself", wrong.isEmpty)
    try await checkBooks()
    try await phone.quit()
    try phone.launch()
    try await loadPrices()
    check("the failed payments are finished: at the next launch none comes again", try await queueIsEmpty())
  }

  func declineTheCard() async throws {
    open("The customer's card is declined, and then mended")
    try await store.change(CustomerChange(paymentMethod: .declined))
    let event = try await failedPurchase()
    guard case .failed(five, "SKErrorDomain", 0, false, let alert?) = event else {
      throw DemoFailure("A declined card: \(event)")
    }
    say("\"\(alert)\"")
    check("nothing is charged", try await store.charges().count == expectedCharges.count)
    try await store.change(CustomerChange(paymentMethod: .valid))
    try await buy(five, quantity: 1, sheet: ("5 monkey credits", "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBooks()
  }

  func interrupt() async throws {
    open("The customer has new terms to agree to first")
    try await store.change(CustomerChange(paymentMethod: .needsAttention))
    guard case .failed(five, _, _, false, _) = try await failedPurchase() else {
      throw DemoFailure("The interrupted purchase did not fail.")
    }
    check("the purchase is interrupted; nothing is charged", try await store.charges().count == expectedCharges.count)
    try await store.change(CustomerChange(paymentMethod: .valid))
    try await takeDelivery(of: five)
    bought(credits: 5, amount: priceOfFive)
    say("The customer has agreed; the purchase comes as a transaction of its own.")
    try await checkBooks()
  }

  func changeThePrice() async throws {
    open("The price changes between the sheet and the charge")
    try await store.set(Fault(HeldRequestFault(), id: "held", scope: FaultScope(calls: [.device(.confirm)]), count: 1))
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    try await store.waitUntilHeld("held")
    try await store.change(price: 1490, of: five)
    try await store.removeFaults()
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$1.49", "$1.49"))
    bought(credits: 5, amount: 1490)
    say("The customer was asked again, and only the new price was charged.")
    try await checkBooks()
    try await store.change(price: priceOfFive, of: five)
  }

  func restrict() async throws {
    open("Purchases are restricted on this phone")
    try phone.tell(.restrict(true))
    try await phone.waitForButton(five, "AppStore disabled")
    check("the buttons read \"AppStore disabled\"", phone.buttons[ten] == "AppStore disabled")
    // After a new launch the app knows no price, and has to request it.
    try await phone.quit()
    try await store.removeRequests()
    try phone.launch(isRestricted: true)
    try phone.tell(.showPrices)
    guard case .buttons = try await phone.nextEvent() else { throw DemoFailure("No prices came.") }
    let asked = try await store.requests { $0.call = .device(.products) }
    check(
      "prices can be requested: the app asks, and the store answers",
      phone.asked.isSuperset(of: [five, ten])
        && asked.contains { $0.outcome == .answered && $0.productIds?.contains(ProductID(five)) == true })
    try await store.removeRequests()
    try phone.tell(.addAnyway(product: five))
    // The app's failure and StoreKit's message to the customer come in either order.
    var events = [try await phone.nextEvent(), try await phone.nextEvent()]
    check("StoreKit tells the customer itself", events.contains(.paymentsNotAllowed))
    events.removeAll { $0 == .paymentsNotAllowed }
    guard case .failed(five, "SKErrorDomain", 4, false, let alert?)? = events.first else {
      throw DemoFailure("A payment on a restricted phone: \(events)")
    }
    say("\"\(alert)\"")
    let quotes = try await store.requests { $0.call = .device(.quote) }
    let confirmations = try await store.requests { $0.call = .device(.confirm) }
    check(
      "a payment added anyway fails with paymentNotAllowed, and nothing of it reaches the store",
      quotes.isEmpty && confirmations.isEmpty)
    try phone.tell(.restrict(false))
    try await phone.waitForButton(five, "Buy $0.99")
    check("without the restriction the buttons have their prices again", phone.buttons[ten] == "Buy $1.99")
    try await checkBooks()
  }

  /// Returns the event that ends a purchase if the store answers the confirmation with `error`.
  private func failure(_ error: AppError) async throws -> SampleAppEvent {
    try await store.set(Fault(AppErrorFault(error), scope: FaultScope(calls: [.device(.confirm)]), count: 1))
    return try await failedPurchase()
  }

  private func failedPurchase() async throws -> SampleAppEvent {
    try phone.tell(.buy(product: five, quantity: 1, confirms: true))
    guard case .sheet = try await phone.nextEvent() else { throw DemoFailure("No confirmation was asked for.") }
    return try await phone.nextEvent()
  }
}
