import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import StoreModel
import Testing

@testable import SampleApp

@Suite("The sample app's screens", .timeLimit(.minutes(30)))
struct ScreenTests {
  @Test("B2 the confirmation shows product, description, quantity, unit price and total as the storefront writes them")
  func confirmation() {
    let sheet = SheetView(
      number: 7, prompt: .confirmation(.sample()), text: "Five credits to spend on monkeys", screen: .credits
    ).html.text
    for text in ["5 monkey credits", "Five credits to spend on monkeys", ">3<", "0,99 €", "2,97 €"] {
      #expect(sheet.replacing("\u{A0}", with: " ").contains(text), "\(text)")
    }
  }

  @Test("the sign-in sheet shows the reason for it, and the reason of a refused attempt")
  func signIn() {
    let sheet = { SheetView(number: 1, prompt: .signIn(account: "ann", refusal: $0), screen: .credits).html.text }
    #expect(sheet(nil).contains("<p class=\"muted\">Sign in to buy and to restore"))
    #expect(!sheet(nil).contains("sheet-refusal"))
    #expect(sheet("No such customer.").contains("role=\"alert\"><bdi>No such customer.</bdi></p>"))
    #expect(sheet(nil).contains("value=\"ann\""))
  }

  @Test("a disabled button shows its state, and an enabled one offers a quantity if the product allows it")
  func buttons() {
    let line = { (isEnabled: Bool, act: ShopItem.Act) in
      ShopItem(product: "a", title: "A", text: "", button: "Buy", isEnabled: isEnabled, act: act)
        .html(on: .credits, "shop", 0).text
    }
    #expect(line(true, .buy(offersQuantity: true)).contains("<option>10</option>"))
    #expect(!line(true, .buy(offersQuantity: false)).contains("<option>"))
    #expect(line(false, .buy(offersQuantity: true)).contains(" disabled"))
    #expect(!line(false, .buy(offersQuantity: true)).contains("<option>"))
  }

  @Test("A5 C6 on a restricted phone a payment can be added without a check, to show the failure")
  func restricted() {
    let view = {
      CreditsView(balance: "0", freeze: nil, lines: [.sample], printing: nil, place: .device, isRestricted: $0).html
        .text
    }
    #expect(view(true).contains("/app/buy-anyway"))
    #expect(!view(false).contains("/app/buy-anyway"))
  }

  @Test(
    "A7 F1 frozen credits show the reason, and the loss of starting with 0 credits; a reinstallation is not reported as tampering"
  )
  func frozen() {
    let view = { (reason: CreditFreeze.Reason, balance: Int?) in
      CreditsView(
        balance: "", freeze: CreditFreeze(reason: reason, date: Date(), lostBalance: balance), lines: [], printing: nil,
        place: .device, isRestricted: false
      ).html.text
    }
    #expect(view(.reinstalled, 11).contains("you lose 11 credits"))
    #expect(view(.reinstalled, 11).contains("deleted and installed again"))
    #expect(!view(.reinstalled, 11).contains("trusted"))
    #expect(view(.rolledBack, 3).contains("cannot be trusted, because an older copy of their file was put back"))
    #expect(view(.keyMissing, nil).contains("is not known"))
    #expect(view(.reinstalled, 0).contains("you lose nothing"))
    // Nothing can be spent meanwhile.
    #expect(view(.reinstalled, 11).contains("id=\"spend-button\" disabled"))
  }

  @Test("F1 frozen credits and pages of the server: number, way out and question; no backup is mentioned")
  func registrationLost() throws {
    let freeze = CreditFreeze(reason: .registrationLost, date: Date(), lostBalance: 15)
    let html = CreditsView(
      balance: "", freeze: freeze, lines: [],
      printing: CreditsView.Printing(balance: "Your pages are frozen.", freeze: freeze, lines: []),
      place: .server(asOf: nil), isRestricted: false
    ).html.text
    for unit in ["credits", "pages"] {
      #expect(html.contains("If you start with 0 \(unit), you lose 15 \(unit)."))
      #expect(html.contains("Restore purchases brings \(unit) back, if you own a filter, a book or a membership."))
      #expect(html.contains("action=\"/app/\(unit)/discard\""))
    }
    #expect(html.contains("id=\"spend-button\" disabled") && html.contains("id=\"print-button\" disabled"))
    #expect(!html.contains("backup") && !html.contains("trusted"))
    let loss = try JSONDecoder().decode(
      CreditLoss.self,
      from: JSONSerialization.data(withJSONObject: [
        "credits": 15, "balanceAfter": 0, "purchases": [] as [String],
        "freeze": ["reason": "registrationLost", "date": 0, "lostBalance": 15] as [String: Any],
      ]))
    let question = QuestionView(question: LossQuestion(loss, .reset, of: "pages"), screen: .credits).html.text
    #expect(question.contains("Start with 0 pages?") && question.contains("Give up 15 pages"))
    #expect(question.contains("The server keeps 15 pages for this device") && !question.contains("backup"))
  }

  @Test("F2 the screen says where the monkey credits are stored, and since when the server was not asked")
  func place() {
    let view = { (place: CreditsView.Place) in
      CreditsView(balance: "5", freeze: nil, lines: [.sample], printing: nil, place: place, isRestricted: false).html
        .text
    }
    #expect(view(.device).contains("Stored on this device only"))
    #expect(view(.device).contains("id=\"spend-button\">"))
    #expect(!view(.device).contains("credits-refresh"))
    #expect(view(.server(asOf: nil)).contains("Stored by the developer’s server."))
    #expect(view(.server(asOf: Date(timeIntervalSince1970: 1_790_000_000))).contains("as of 14:13:20 UTC"))
    #expect(view(.server(asOf: nil)).contains("credits-refresh"))
  }

  @Test("A1 the sheet of a plan says that it renews, also if it is free")
  func renewal() {
    let sheet = { (price: Int64) in
      SheetView(number: 1, prompt: .confirmation(.plan(price)), screen: .club).html.text.replacing("\u{A0}", with: " ")
    }
    #expect(sheet(0).contains("Free of charge every month, until you cancel"))
    #expect(sheet(9_990).contains("$9.99 every month, until you cancel"))
  }

  @Test("a refund is requested with one of the reasons, and cannot be requested again")
  func refund() {
    let sheet = SheetView(number: 1, prompt: .refund(product: ProductID(SampleCatalog.fiveCredits)), screen: .purchases)
      .html.text
    for reason in RefundReason.allCases { #expect(sheet.contains("<option value=\"\(reason.rawValue)\">")) }
    let line = { PurchasesView(items: [.sample(quantity: 3, isRefunded: $0)]).html.text }
    #expect(line(false).contains("id=\"refund-1000000001\"") && line(false).contains(" × 3"))
    #expect(line(false).contains("Bought on 2026-09-21."))
    #expect(line(true).contains("Refunded.") && !line(true).contains("refund-1000000001"))
    #expect(PurchasesView(items: []).html.text.contains("no-purchases"))
  }

  @Test("each message of the App Store has a title and a text of its own")
  func messages() {
    let messages: [StoreMessage] = [.generic, .priceIncreaseConsent, .billingIssue, .winBackOffer]
    let texts = messages.map { message in
      SheetView(number: 1, prompt: .message(message), screen: .club).html.text
        .firstMatch(of: /<p>[^<]+<\/p>/).map { String($0.output) }
    }
    #expect(Set(texts).count == messages.count && !texts.contains(nil))
    #expect(Set(messages.map { StorePrompt.message($0).title }).count == messages.count)
  }

  @Test("the App Store on the phone begins purchases of products and plans, and those with an offer")
  func appStore() {
    let listing = AppStoreListing(products: [.sample("five")], plans: [.sample("monthly")])
    let offer = SubscriptionsView.WinBack(product: "monthly", offer: "back", text: "Come back")
    let html = AppStoreView(installation: "A", listing: listing, problem: nil, winBackOffers: [offer]).html.text
    for name in ["win-back-0", "promoted-0-button", "plan-0-button"] { #expect(html.contains("id=\"\(name)\"")) }
    #expect(html.contains("name=\"offer\" value=\"back\"") && html.contains("Get for monthly"))
    let closed = AppStoreView(
      installation: "A", listing: nil, problem: "The store is in maintenance.", winBackOffers: []
    ).html.text
    #expect(closed.contains("id=\"app-store-problem\">The store is in maintenance.<"))
    #expect(!closed.contains("/phone/promoted-purchase"))
  }

  @Test("B2 each sheet has a password field of its own, so that a refused password does not stay typed")
  func passwordField() {
    let field = { (number: Int) in
      SheetView(number: number, prompt: .signIn(account: "a", refusal: "no"), screen: .credits).html.text
        .firstMatch(of: /id="(sheet-password[^"]*)"/)?.1
    }
    #expect(field(1) != nil && field(1) != field(2))
  }

  @Test("A5 D2 G4 a line shows a note, and its product's identifier only to programs")
  func note() {
    var line = ShopItem(
      product: "com.example.id", title: "Sepia", text: "", button: "Loading…", isEnabled: false, act: .use)
    line.note = "Paused at 40 %"
    let html = line.html(on: .filters, "shop", 0).text
    #expect(html.contains("Paused at 40 %"))
    #expect(html.replacing(/<[^>]*>/, with: "").contains("com.example") == false)
  }

  @Test("F1 the question before credits are given up has the numbers, and keeps everything unless it is accepted")
  func question() throws {
    let vault = try PurchaseVault(
      at: nil, keys: MemoryVaultKeyStore(),
      owner: VaultOwner(bundleID: "com.example", deviceIdentifier: .vendorIdentifier(UUID())))
    _ = try VaultCreditStore(vault).grant(
      60, for: "1", productIdentifier: "five", date: Date(timeIntervalSince1970: 1_790_000_000))
    for act in [LossQuestion.Act.reset, .importBackup] {
      let html = QuestionView(question: LossQuestion(vault.creditsAtRisk, act), screen: .credits).html.text
      #expect(html.contains("60 monkey credits bought on 2026-09-21 cannot be brought back."))
      #expect(html.contains("value=\"refuse\" id=\"question-refuse\" data-cancel autofocus"))
      #expect(html.contains("ive up 60 monkey credits"))
    }
  }

  @Test("C6 A7 a price is shown beside a disabled button that shows the reason")
  func priceBeside() {
    var line = ShopItem(
      product: "a", title: "A", text: "", button: "AppStore disabled", isEnabled: false,
      act: .buy(offersQuantity: false))
    #expect(!line.html(on: .credits, "shop", 0).text.contains("$0.99"))
    line.price = "$0.99"
    #expect(line.html(on: .credits, "shop", 0).text.contains("$0.99"))
  }

  @Test("D2 the filter is applied to the photograph without an inline style")
  func filter() {
    let html = FiltersView(
      photograph: "/app/photograph?first", isOwnPhotograph: false, colorMatrix: [0.2126, 0.7152, 0.0722, 0, 0],
      filterName: "greyscale", lines: [], canClear: true, canRestore: true
    ).html.text
    #expect(html.contains("<feColorMatrix type=\"matrix\" values=\"0.2126 0.7152 0.0722 0.0 0.0\"/>"))
    #expect(html.contains("filter=\"url(#photograph-filter)\""))
    #expect(!html.contains("style="))
  }

  @Test("A3 without a server the books screen says how to start one")
  func noServer() { #expect(BooksView.noServer.html.text.contains("openstorekit server")) }

  @Test("the pages of a file contain all of it in order, and split no character")
  func pages() {
    let text = (0..<3_000).map { "Wört\($0)" }.joined(separator: " ") + String(repeating: "漢", count: 4_000)
    let file = Data(text.utf8)
    let count = BookPage(1, of: file).count
    #expect(count > 10)
    #expect((1...count).compactMap { BookPage($0, of: file).text }.joined() == text)
    #expect(BookPage(count + 5, of: file).number == count)
    #expect(BookPage(-1, of: file).number == 1)
  }

  @Test("a file that is not text, and an empty file, are reported as such")
  func noText() {
    #expect(BookPage(1, of: Data([0x89, 0, 1, 2])).text == nil)
    #expect(BookPage(1, of: Data()).text == "")
  }
}

extension ShopItem {
  static let sample = ShopItem(
    product: "a", title: "A", text: "", button: "AppStore disabled", isEnabled: false, act: .buy(offersQuantity: true))
}

extension PaymentQuote {
  /// A quote of a monthly plan.
  static func plan(_ price: Int64) -> PaymentQuote {
    let price = Price(amount: Milliunits(price), currency: "USD")
    return PaymentQuote(
      payment: PaymentRequest(paymentID: "A", productID: "plan", quantity: 1), account: "customer",
      displayName: "Plan", unitPrice: price, total: price,
      plan: SubscriptionQuote(period: CalendarPeriod(value: 1, unit: .month)), storefrontCountryCode: "USA",
      localeIdentifier: "en_US", epoch: "1000000000", authenticationCode: Data())
  }
}
