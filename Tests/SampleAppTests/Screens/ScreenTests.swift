import Foundation
import PurchaseKit
import Testing

@testable import SampleApp

@Suite("The sample app's screens", .timeLimit(.minutes(10)))
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
      CreditsView(balance: "0", freeze: nil, lines: [.sample], printing: nil, isOnServer: false, isRestricted: $0).html
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
        isOnServer: false, isRestricted: false
      ).html.text
    }
    #expect(view(.reinstalled, 11).contains("you lose 11 credits"))
    #expect(view(.reinstalled, 11).contains("deleted and installed again"))
    #expect(!view(.reinstalled, 11).contains("trusted"))
    #expect(view(.rolledBack, 3).contains("cannot be trusted, because an older copy of their file was put back"))
    #expect(view(.keyMissing, nil).contains("is not known"))
    #expect(view(.reinstalled, 0).contains("you lose nothing"))
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
