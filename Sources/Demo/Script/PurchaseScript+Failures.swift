import AppStoreEmulator
import ControlAPI
import Foundation
import SampleApp
import StoreKit
import StoreModel

// Requirements C1, C2 and C3: payments that fail in different ways.
extension PurchaseScript {
  func failAsStoresFail() async throws {
    beginChapter("The store returns errors of real stores")
    for (domain, code) in [("SKErrorDomain", 0), ("SSServerErrorDomain", 5002), ("SSServerErrorDomain", 5020)] {
      let event = try await failure(AppError(domain: domain, code: code))
      guard case .failed(_, let givenDomain, let givenCode, let isCancellation, let alert) = event else {
        throw DemoFailure("The payment did not fail: \(event)")
      }
      explain("\"\(alert ?? "")\"")
      check(
        "the payment fails with \(domain) \(code), and an alert is shown",
        givenDomain == domain && givenCode == code && !isCancellation && alert != nil)
    }
    let disguised = try await failure(
      AppError(
        domain: "SKErrorDomain", code: 907, underlying: AppError.Underlying(domain: "AMSErrorDomain", code: 6)))
    check(
      "SKErrorDomain 907 with the underlying AMSErrorDomain 6 is a cancellation: no alert",
      disguised == .failed(product: five, domain: "SKErrorDomain", code: 907, isCancellation: true, alert: nil))
    try await checkBalanceAndCharges()
  }

  func failWithEveryCode() async throws {
    beginChapter("The store returns each code of SKError")
    var wrong: [Int] = []
    for code in 0...SKError.Code.paymentMethodBindingConfigurationRequired.rawValue {
      let event = try await failure(AppError(domain: "SKErrorDomain", code: code))
      guard case .failed(five, "SKErrorDomain", code, let isCancellation, _) = event, isCancellation == (code == 2)
      else {
        wrong.append(code)
        continue
      }
    }
    check("the app receives each code unchanged", wrong.isEmpty)
    try await checkBalanceAndCharges()
    try await phone.quit()
    try phone.launch()
    try await loadPrices()
    check("the failed payments are finished: none is delivered again at the next launch", try await queueIsEmpty())
  }

  func declineTheCard() async throws {
    beginChapter("The customer's card is declined, and then accepted")
    try await store.change(CustomerChange(paymentMethod: .declined))
    let event = try await failedPurchase()
    guard case .failed(five, "SKErrorDomain", 0, false, let alert?) = event else {
      throw DemoFailure("A declined card: \(event)")
    }
    explain("\"\(alert)\"")
    check("nothing is charged", try await store.charges().count == expectedCharges.count)
    try await store.change(CustomerChange(paymentMethod: .valid))
    try await buy(five, quantity: 1, sheet: ("5 monkey credits", "$0.99", "$0.99"))
    bought(credits: 5, amount: priceOfFive)
    try await checkBalanceAndCharges()
  }

  func interrupt() async throws {
    beginChapter("Interrupted purchase: the customer must first accept new terms")
    try await store.change(CustomerChange(paymentMethod: .needsAttention))
    guard case .failed(five, _, _, false, _) = try await failedPurchase() else {
      throw DemoFailure("The interrupted purchase did not fail.")
    }
    check("the purchase is interrupted; nothing is charged", try await store.charges().count == expectedCharges.count)
    try await store.change(CustomerChange(paymentMethod: .valid))
    try await takeDelivery(of: five)
    bought(credits: 5, amount: priceOfFive)
    explain("The customer has accepted the terms. The purchase is delivered as a new transaction.")
    try await checkBalanceAndCharges()
  }

  func changeThePrice() async throws {
    beginChapter("The price changes between the confirmation sheet and the charge")
    try await store.set(Fault(HeldRequestFault(), id: "held", scope: FaultScope(calls: [.device(.confirm)]), count: 1))
    try phone.send(.buy(product: five, quantity: 1, confirms: true))
    try await checkSheet(title: "5 monkey credits", quantity: 1, unitPrice: "$0.99", total: "$0.99")
    try await store.waitUntilHeld("held")
    try await store.change(price: 1490, of: five)
    try await store.removeFaults()
    try await finishPurchase(of: five, sheet: ("5 monkey credits", 1, "$1.49", "$1.49"))
    bought(credits: 5, amount: 1490)
    explain("The sheet was shown again, and only the new price was charged.")
    try await checkBalanceAndCharges()
    try await store.change(price: priceOfFive, of: five)
  }

  func restrict() async throws {
    beginChapter("Purchases are restricted on this phone")
    try phone.send(.restrict(true))
    try await phone.waitForButton(five, "AppStore disabled")
    check("the buttons read \"AppStore disabled\"", phone.buttons[ten] == "AppStore disabled")
    // After a new launch the app has no prices, and must request them.
    try await phone.quit()
    try await store.removeRequests()
    try phone.launch(isRestricted: true)
    try phone.send(.showPrices)
    guard case .buttons = try await phone.nextEvent() else { throw DemoFailure("The app did not report its prices.") }
    let asked = try await store.requests { $0.call = .device(.products) }
    check(
      "products can be requested, and the store returns their prices",
      phone.asked.isSuperset(of: [five, ten])
        && asked.contains { $0.outcome == .answered && $0.productIds?.contains(ProductID(five)) == true })
    try await store.removeRequests()
    try phone.send(.addAnyway(product: five))
    // The app's failure and StoreKit's message to the customer may arrive in either order.
    var events = [try await phone.nextEvent(), try await phone.nextEvent()]
    check("StoreKit shows an alert of its own", events.contains(.paymentsNotAllowed))
    events.removeAll { $0 == .paymentsNotAllowed }
    guard case .failed(five, "SKErrorDomain", 4, false, let alert)? = events.first else {
      throw DemoFailure("A payment on a restricted phone: \(events)")
    }
    check("the app shows none of its own, so the customer reads it once", alert == nil)
    let quotes = try await store.requests { $0.call = .device(.quote) }
    let confirmations = try await store.requests { $0.call = .device(.confirm) }
    check(
      "a payment that is added anyway fails with paymentNotAllowed, and no request is sent to the store",
      quotes.isEmpty && confirmations.isEmpty)
    try phone.send(.restrict(false))
    try await phone.waitForButton(five, "Buy $0.99")
    check("without the restriction the buttons show their prices again", phone.buttons[ten] == "Buy $1.99")
    try await checkBalanceAndCharges()
  }

  /// Returns the event that ends a purchase if the store answers the confirmation with `error`.
  private func failure(_ error: AppError) async throws -> AppEvent {
    try await store.set(Fault(AppErrorFault(error), scope: FaultScope(calls: [.device(.confirm)]), count: 1))
    return try await failedPurchase()
  }

  private func failedPurchase() async throws -> AppEvent {
    try phone.send(.buy(product: five, quantity: 1, confirms: true))
    guard case .sheet = try await phone.nextEvent() else { throw DemoFailure("No confirmation sheet was shown.") }
    let event = try await phone.nextEvent()
    if event == .paymentsNotAllowed { return try await phone.nextEvent() }
    // StoreKit shows its own alert before or after the app is notified that the payment is not allowed.
    if case .failed(_, "SKErrorDomain", SKError.Code.paymentNotAllowed.rawValue, _, _) = event {
      guard try await phone.nextEvent() == .paymentsNotAllowed else { throw DemoFailure("StoreKit showed no alert.") }
    }
    return event
  }
}
