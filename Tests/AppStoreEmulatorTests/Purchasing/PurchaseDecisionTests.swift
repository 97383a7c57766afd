import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The decision on a confirmed payment", .timeLimit(.minutes(30)))
struct PurchaseDecisionTests {
  private let epoch: StoreEpoch = "1234567890"
  private let declined = StoreRefusal(.paymentDeclined, "No.")

  private func quote(
    product: ProductID = "tea", quantity: Int = 2, account: AccountName = "ada", unitPrice: Int64 = 1000,
    storefront: String = "USA", epoch: StoreEpoch = "1234567890", displayName: String = "Tea", locale: String = "en_US",
    username: String? = nil
  ) -> PaymentQuote {
    PaymentQuote(
      payment: PaymentRequest(
        paymentID: "p", productID: product, quantity: quantity, applicationUsername: username), account: account,
      displayName: displayName, unitPrice: Price(amount: Milliunits(unitPrice), currency: "USD"),
      total: Price(amount: Milliunits(unitPrice * Int64(quantity)), currency: "USD"),
      storefrontCountryCode: storefront, localeIdentifier: locale, epoch: epoch, authenticationCode: Data([1]))
  }

  private func row(_ quote: PaymentQuote, _ outcome: PaymentRow.Outcome) -> PaymentRow {
    PaymentRow(
      installationID: "phone", quote: quote, decisionDate: StoreDate(millisecondsSince1970: 1), outcome: outcome)
  }

  private func decide(
    _ quote: PaymentQuote, earlier: PaymentRow? = nil, isGenuine: Bool = true,
    current: Result<PaymentQuote, StoreRefusal>? = nil, paymentMethod: Customer.PaymentMethod = .valid,
    needsApproval: Bool = false
  ) -> PurchaseDecision {
    PurchaseDecision(
      confirming: QuoteCheck(quote: quote, epoch: epoch, isGenuine: isGenuine, isOfCustomer: true), earlier: earlier,
      current: current ?? .success(quote), paymentMethod: paymentMethod, needsApproval: needsApproval)
  }

  private func rejection(_ decision: PurchaseDecision) -> StoreRefusal.Code? {
    if case .reject(let refusal) = decision { refusal.code } else { nil }
  }

  @Test("B3 a genuine quote that still holds is charged")
  func charge() { #expect(decide(quote()) == .charge) }

  @Test("B3 texts and locale may change meanwhile: they are not what is charged")
  func textsChange() {
    #expect(decide(quote(), current: .success(quote(displayName: "Fine tea", locale: "en_GB"))) == .charge)
  }

  @Test(
    "B2 what is charged has changed: the customer is asked again with the new quote",
    arguments: ["price", "storefront", "product", "quantity"])
  func stale(change: String) {
    let now =
      switch change {
      case "price": quote(unitPrice: 1001)
      case "storefront": quote(storefront: "CAN")
      case "product": quote(product: "coffee")
      default: quote(quantity: 3)
      }
    #expect(decide(quote(), current: .success(now)) == .askAgain(now))
    #expect(decide(quote(), current: .success(now), paymentMethod: .declined) == .askAgain(now))
  }

  @Test("C2 a declined card refuses, and the refusal is remembered")
  func declinedCard() {
    guard case .refuse(let refusal) = decide(quote(), paymentMethod: .declined) else {
      Issue.record("expected a refusal")
      return
    }
    #expect(refusal.code == .paymentDeclined)
  }

  @Test("B3 what can no longer be quoted is refused for the reason given, and the refusal is remembered")
  func noLongerForSale() {
    let gone = StoreRefusal(.productNotAvailable, "Sold out.")
    #expect(decide(quote(), current: .failure(gone)) == .refuse(gone))
  }

  @Test("B3 what may yet be mended is refused for now, and no refusal is remembered")
  func mendable() {
    let signIn = StoreRefusal(.signInRequired, "Sign in.")
    #expect(decide(quote(), current: .failure(signIn)) == .reject(signIn))
  }

  @Test("B9 a payment id decided before gets the same answer, whatever has changed")
  func asBefore() {
    let outcomes: [PaymentRow.Outcome] = [.purchased(TransactionID(5)), .refused(declined), .waiting]
    for outcome in outcomes {
      let earlier = row(quote(), outcome)
      #expect(decide(quote(), earlier: earlier) == .asBefore(outcome))
      #expect(decide(quote(), earlier: earlier, isGenuine: false) == .asBefore(outcome))
      #expect(decide(quote(epoch: "9999999999"), earlier: earlier) == .asBefore(outcome))
      #expect(decide(quote(), earlier: earlier, current: .failure(declined)) == .asBefore(outcome))
      #expect(decide(quote(), earlier: earlier, current: .success(quote(unitPrice: 1))) == .asBefore(outcome))
      #expect(decide(quote(), earlier: earlier, paymentMethod: .declined) == .asBefore(outcome))
      #expect(decide(quote(), earlier: earlier, needsApproval: true) == .asBefore(outcome))
    }
  }

  @Test("B9 the same payment id for something else, or from another account, is a conflict that changes nothing")
  func conflict() {
    let earlier = row(quote(), .purchased(TransactionID(5)))
    #expect(rejection(decide(quote(product: "coffee"), earlier: earlier)) == .paymentConflict)
    #expect(rejection(decide(quote(quantity: 3), earlier: earlier)) == .paymentConflict)
    #expect(rejection(decide(quote(account: "bob"), earlier: earlier)) == .paymentConflict)
  }

  @Test("B9 contents of one payment id are compared as bytes: what is canonically equivalent is a conflict")
  func equivalent() {
    func request(_ username: String?, offer: String? = nil) -> PaymentRequest {
      PaymentRequest(
        paymentID: "p", productID: "tea", applicationUsername: username,
        offer: offer.map { PaymentOffer(kind: .promotional, identifier: $0) })
    }
    #expect(request("caf\u{E9}") == request("cafe\u{301}"))
    #expect(!request("caf\u{E9}").hasContent(of: request("cafe\u{301}")))
    #expect(!request(nil, offer: "\u{212A}").hasContent(of: request(nil, offer: "K")))
    #expect(!request(nil).hasContent(of: request("")))
    #expect(request("caf\u{E9}", offer: "K").hasContent(of: request("caf\u{E9}", offer: "K")))

    let outcome = PaymentRow.Outcome.purchased(TransactionID(5))
    let earlier = row(quote(username: "caf\u{E9}"), outcome)
    #expect(decide(quote(username: "caf\u{E9}"), earlier: earlier) == .asBefore(outcome))
    #expect(rejection(decide(quote(username: "cafe\u{301}"), earlier: earlier)) == .paymentConflict)
  }

  @Test("a quote of an earlier epoch is rejected before any other check")
  func epochEnded() {
    let old = quote(epoch: "9999999999")
    #expect(rejection(decide(old)) == .epochEnded)
    #expect(rejection(decide(old, isGenuine: false, current: .failure(declined))) == .epochEnded)
  }

  @Test("G6 a quote this store did not make is rejected, and no refusal is remembered for the id it names")
  func forged() {
    #expect(rejection(decide(quote(), isGenuine: false)) == .quoteNotGenuine)
    #expect(rejection(decide(quote(), isGenuine: false, current: .failure(declined))) == .quoteNotGenuine)
  }

  @Test("a stored payment gives back the outcome it was made with")
  func storedOutcome() {
    #expect(row(quote(), .purchased(TransactionID(5))).outcome == .purchased(TransactionID(5)))
    #expect(row(quote(), .refused(declined)).outcome == .refused(declined))
    #expect(row(quote(), .waiting).outcome == .waiting)
    var decided = row(quote(), .waiting)
    decided.decide(.purchased(TransactionID(5)))
    #expect(decided.outcome == .purchased(TransactionID(5)))
    decided.decide(.refused(declined))
    #expect(decided.outcome == .refused(declined))
  }

  @Test("B3 a payment that needs approval waits, whatever its card would say now")
  func needsApproval() {
    for method in Customer.PaymentMethod.allCases {
      #expect(decide(quote(), paymentMethod: method, needsApproval: true) == .waitForApproval)
    }
  }

  @Test("B3 approval is requested only for a sellable product that the customer confirmed at this price")
  func approvalComesLast() {
    let now = quote(unitPrice: 1001)
    let gone = StoreRefusal(.productNotAvailable, "Sold out.")
    #expect(decide(quote(), current: .success(now), needsApproval: true) == .askAgain(now))
    #expect(decide(quote(), current: .failure(gone), needsApproval: true) == .refuse(gone))
    #expect(rejection(decide(quote(), isGenuine: false, needsApproval: true)) == .quoteNotGenuine)
    #expect(rejection(decide(quote(epoch: "9999999999"), needsApproval: true)) == .epochEnded)
  }

  @Test("C2 an account that needs attention interrupts the purchase, and the payment id stays refused")
  func needsAttention() {
    guard case .refuse(let refusal) = decide(quote(), paymentMethod: .needsAttention) else {
      Issue.record("expected a refusal")
      return
    }
    #expect(refusal.code == .purchaseInterrupted)
    #expect(refusal.endsPayment)
  }

  @Test("B3 an earlier decision comes first, then whether the product is sold, then whether it is paid")
  func afterApproval() {
    func code(_ isApproved: Bool, _ isForSale: Bool, _ method: Customer.PaymentMethod) -> StoreRefusal.Code? {
      PurchaseDecision.refusal(
        of: quote(), isApproved: isApproved, isOwned: false, isForSale: isForSale, paymentMethod: method)?.code
    }
    #expect(code(true, true, .valid) == nil)
    #expect(code(false, false, .declined) == .approvalDeclined)
    #expect(code(false, true, .valid) == .approvalDeclined)
    #expect(code(true, false, .declined) == .productNotAvailable)
    #expect(code(true, true, .declined) == .paymentDeclined)
    #expect(code(true, true, .needsAttention) == .purchaseInterrupted)
  }

  @Test(
    "D3 what is held by then is given without charge, whether it is still sold and paid or not, unless it is declined")
  func approvalOfWhatIsHeld() {
    func code(isApproved: Bool) -> StoreRefusal.Code? {
      PurchaseDecision.refusal(
        of: quote(), isApproved: isApproved, isOwned: true, isForSale: false, paymentMethod: .declined)?.code
    }
    #expect(code(isApproved: true) == nil)
    #expect(code(isApproved: false) == .approvalDeclined)
  }
}
