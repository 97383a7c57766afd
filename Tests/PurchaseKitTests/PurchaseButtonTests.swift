import PurchaseKit
import Testing

@Suite("The state of a buy button", .timeLimit(.minutes(30)))
struct PurchaseButtonTests {
  typealias Properties = PurchaseButton.Properties

  @Test(
    "A5 A7 C5 the table of buy buttons",
    arguments: [
      (Properties(), .loading),
      (Properties(price: "$0.99"), .price("$0.99")),
      (Properties(isInvalid: true), .invalidProduct),
      (Properties(requestFailed: true), .networkDown),
      // A known price stays valid when a later request fails.
      (Properties(price: "$0.99", requestFailed: true), .price("$0.99")),
      (Properties(price: "$0.99", isInvalid: true), .invalidProduct),
      (Properties(isInvalid: true, requestFailed: true), .invalidProduct),
      // Restricted payments have priority over all properties of the product.
      (Properties(paymentsAllowed: false), .disabled),
      (Properties(price: "$0.99", paymentsAllowed: false), .disabled),
      (Properties(isInvalid: true, paymentsAllowed: false), .disabled),
      (Properties(requestFailed: true, paymentsAllowed: false), .disabled),
      // An open payment has priority over everything else.
      (Properties(price: "$0.99", payment: .underWay), .purchasing),
      (Properties(price: "$0.99", payment: .waitingForApproval), .waitingForApproval),
      (Properties(price: "$0.99", paymentsAllowed: false, payment: .underWay), .purchasing),
      (Properties(paymentsAllowed: false, payment: .waitingForApproval), .waitingForApproval),
      (Properties(requestFailed: true, payment: .underWay), .purchasing),
      // A product that could not be delivered is not sold.
      (Properties(price: "$0.99", obstacle: "frozen"), .withheld("frozen")),
      (Properties(obstacle: "frozen"), .withheld("frozen")),
      (Properties(price: "$0.99", obstacle: "frozen", payment: .underWay), .purchasing),
      (Properties(price: "$0.99", paymentsAllowed: false, obstacle: "frozen"), .disabled),
    ] as [(Properties, PurchaseButton)])
  func table(properties: Properties, button: PurchaseButton) {
    #expect(PurchaseButton(properties) == button)
  }

  @Test("A5 A7 C5 in all combinations, a button is enabled only with a price, payments allowed and no open payment")
  func enabled() {
    let booleans = [false, true]
    for price in [nil, "$0.99"] {
      for payment in [nil] + OpenPayment.allCases.map(Optional.some) {
        for (isInvalid, failed, allowed) in booleans.flatMap({ a in
          booleans.flatMap { b in booleans.map { (a, b, $0) } }
        }) {
          let button = PurchaseButton(
            Properties(
              price: price, isInvalid: isInvalid, requestFailed: failed, paymentsAllowed: allowed, payment: payment)
          )
          #expect(button.isEnabled == (price != nil && !isInvalid && allowed && payment == nil))
        }
      }
    }
  }

  @Test(
    "A5 A7 C5 the titles of buttons",
    arguments: [
      (.loading, "Loading…"), (.price("$0.99"), "Buy $0.99"), (.purchasing, "Purchasing…"),
      (.waitingForApproval, "Waiting for approval"), (.networkDown, "Network down?"),
      (.disabled, "AppStore disabled"), (.withheld("Credits are frozen"), "Credits are frozen"),
      (.invalidProduct, "Not for sale in the App Store at the moment"),
    ] as [(PurchaseButton, String)])
  func titles(button: PurchaseButton, title: String) {
    #expect(button.title == title)
  }
}
