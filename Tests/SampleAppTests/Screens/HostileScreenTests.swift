import Foundation
import OpenStoreKit
import PurchaseKit
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import SampleApp

@Suite("Screens and sheets with hostile names", .timeLimit(.minutes(30)))
struct HostileScreenTests {
  /// The markup of a screen that is rendered with harmless texts.
  private static func screens(_ text: String) -> [(name: String, html: HTML)] {
    let lines = [ShopItem.Act.buy(offersQuantity: true), .use, .download, .open].map {
      ShopItem(product: text, title: text, text: text, button: text, isEnabled: true, act: $0)
    }
    var coming = lines[2]
    coming.percent = 40
    // One page, whatever the length of the text.
    let page = BookPage(1, of: Data(text.utf8.filter { $0 != 0 }.prefix(900)))
    return [
      (
        "credits",
        CreditsView(
          balance: text, freeze: CreditFreeze(reason: .headDamaged, date: Date()), lines: lines,
          printing: .init(balance: text, lines: lines), place: .server(asOf: nil), isRestricted: true
        ).html
      ),
      (
        "filters",
        FiltersView(
          photograph: "/app/photograph?first", isOwnPhotograph: true, colorMatrix: [0.5], filterName: text,
          lines: lines, canClear: true, canRestore: false
        ).html
      ),
      ("books", BooksView.list(lines: lines + [coming], canRestore: true).html),
      ("reader", ReaderView(title: text, version: 3, files: [text, text], file: 0, page: page).html),
      ("sign-in", SheetView(number: 1, prompt: .signIn(account: text, refusal: text), screen: .credits).html),
      (
        "confirmation",
        SheetView(number: 2, prompt: .confirmation(.sample(name: text)), text: text, screen: .filters).html
      ),
      ("bought before", SheetView(number: 3, prompt: .boughtBefore(.sample(name: text)), screen: .filters).html),
      ("alert", AlertView(text: text, screen: .books).html),
      ("refund", SheetView(number: 4, prompt: .refund(product: ProductID(text)), screen: .purchases).html),
      ("purchases", PurchasesView(items: [.sample(name: text)]).html),
      (
        "App Store",
        AppStoreView(
          installation: text, listing: AppStoreListing(products: [.sample(text)], plans: [.sample(text)]),
          problem: nil, winBackOffers: [.init(product: text, offer: text, text: text)]
        ).html
      ),
      (
        "closed App Store",
        AppStoreView(installation: text, listing: nil, problem: text, winBackOffers: []).html
      ),
    ]
  }

  /// Includes texts that no store would accept.
  private static let texts = HostileText.all + ["\u{0}\u{1B}[2J"]

  // The arguments are numbers, because the hostile texts would make a log unreadable.
  @Test(
    "hostile names of products, customers and books add no tags to a screen",
    arguments: texts.indices)
  func tags(_ number: Int) {
    let text = Self.texts[number]
    for (harmless, hostile) in zip(Self.screens("word"), Self.screens(text)) {
      let hasSameTags = hostile.html.tags == harmless.html.tags
      #expect(hasSameTags, "\(harmless.name)")
      let hasScript = hostile.html.text.contains("<script")
      #expect(!hasScript, "\(harmless.name)")
    }
  }

  @Test("names on a sheet are isolated, so right-to-left text does not reorder the text beside them")
  func isolation() {
    let text = "\u{202E}abc"
    for (name, html) in Self.screens(text)
    where ["sign-in", "confirmation", "bought before", "alert"].contains(name) {
      let outside = html.text.replacing(/<bdi>[^<]*<\/bdi>/, with: "").replacing(/="[^"]*"/, with: "")
      #expect(!outside.contains(text), "\(name)")
    }
  }

  @Test("a name of 10,000 characters is shown in full on the sheet, and shortened in a list")
  func length() {
    let text = String(repeating: "n", count: 10_000)
    let screens = Dictionary(uniqueKeysWithValues: Self.screens(text).map { ($0.name, $0.html.text) })
    #expect(screens["confirmation"]?.contains("<bdi>\(text)</bdi>") == true)
    #expect(screens["books"]?.contains("<bdi>\(text)</bdi>") == false)
  }
}

extension PaymentQuote {
  static func sample(
    name: String = "5 monkey credits", quantity: Int = 3, currency: String = "EUR", locale: String = "de_DE"
  ) -> PaymentQuote {
    let price = Price(amount: Milliunits(990), currency: currency)
    return PaymentQuote(
      payment: PaymentRequest(paymentID: "A", productID: "five", quantity: quantity), account: AccountName(name),
      displayName: name, unitPrice: price, total: price.multiplied(by: quantity) ?? price,
      storefrontCountryCode: "DEU", localeIdentifier: locale, epoch: "1000000000",
      authenticationCode: Data())
  }
}

extension ShownPurchase {
  static func sample(name: String = "5 monkey credits", quantity: Int = 1, isRefunded: Bool = false) -> ShownPurchase {
    ShownPurchase(
      transactionID: TransactionID(1_000_000_001), name: name, quantity: quantity,
      date: StoreDate(millisecondsSince1970: 1_790_000_000_000), isRefunded: isRefunded)
  }
}

extension AppStoreListing.Item {
  static func sample(_ text: String) -> AppStoreListing.Item {
    AppStoreListing.Item(productID: text, name: text, text: text, price: text)
  }
}
