import PurchaseKit
import Testing

@Suite("What a buy button shows", .timeLimit(.minutes(10)))
struct PurchaseButtonTests {
  typealias Facts = PurchaseButton.Facts

  @Test(
    "A5 A7 C5 the table of buy buttons",
    arguments: [
      (Facts(), .loading),
      (Facts(price: "$0.99"), .price("$0.99")),
      (Facts(isInvalid: true), .invalidProduct),
      (Facts(requestFailed: true), .networkDown),
      // A known price stays valid when a later request fails.
      (Facts(price: "$0.99", requestFailed: true), .price("$0.99")),
      (Facts(price: "$0.99", isInvalid: true), .invalidProduct),
      (Facts(isInvalid: true, requestFailed: true), .invalidProduct),
      // Restricted payments have priority over all properties of the product.
      (Facts(paymentsAllowed: false), .disabled),
      (Facts(price: "$0.99", paymentsAllowed: false), .disabled),
      (Facts(isInvalid: true, paymentsAllowed: false), .disabled),
      (Facts(requestFailed: true, paymentsAllowed: false), .disabled),
      // An open payment has priority over everything else.
      (Facts(price: "$0.99", payment: .underWay), .purchasing),
      (Facts(price: "$0.99", payment: .waitingForApproval), .waitingForApproval),
      (Facts(price: "$0.99", paymentsAllowed: false, payment: .underWay), .purchasing),
      (Facts(paymentsAllowed: false, payment: .waitingForApproval), .waitingForApproval),
      (Facts(requestFailed: true, payment: .underWay), .purchasing),
      // A product that could not be delivered is not sold.
      (Facts(price: "$0.99", obstacle: "frozen"), .withheld("frozen")),
      (Facts(obstacle: "frozen"), .withheld("frozen")),
      (Facts(price: "$0.99", obstacle: "frozen", payment: .underWay), .purchasing),
      (Facts(price: "$0.99", paymentsAllowed: false, obstacle: "frozen"), .disabled),
    ] as [(Facts, PurchaseButton)])
  func table(facts: Facts, button: PurchaseButton) {
    #expect(PurchaseButton(facts) == button)
  }

  @Test("A5 A7 C5 of all that can be the case, a button is enabled only with a price, payments allowed and none open")
  func enabled() {
    let booleans = [false, true]
    for price in [nil, "$0.99"] {
      for payment in [nil] + OpenPayment.allCases.map(Optional.some) {
        for (isInvalid, failed, allowed) in booleans.flatMap({ a in
          booleans.flatMap { b in booleans.map { (a, b, $0) } }
        }) {
          let button = PurchaseButton(
            Facts(price: price, isInvalid: isInvalid, requestFailed: failed, paymentsAllowed: allowed, payment: payment)
          )
          #expect(button.isEnabled == (price != nil && !isInvalid && allowed && payment == nil))
        }
      }
    }
  }

  @Test(
    "A5 A7 C5 what buttons read",
    arguments: [
      (.loading, "loading…"), (.price("$0.99"), "Buy $0.99"), (.purchasing, "purchasing…"),
      (.waitingForApproval, "waiting for approval"), (.networkDown, "Network down?"),
      (.disabled, "AppStore disabled"), (.withheld("Credits are frozen"), "Credits are frozen"),
      (.invalidProduct, "Not for sale: check the product's id and its status in the store"),
    ] as [(PurchaseButton, String)])
  func titles(button: PurchaseButton, title: String) {
    #expect(button.title == title)
  }
}
