import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A quote", .timeLimit(.minutes(30)))
struct QuoteTests {
  @Test("B2 says product, quantity, unit price and total for the account that is signed in, and changes nothing")
  func contents() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let before = try await shop.records()
    let quote = try await shop.quote(quantity: 3, username: "leaf", on: phone)
    #expect(try await shop.records() == before)

    #expect(quote.payment.quantity == 3)
    #expect(quote.payment.productID == TeaShop.oolong)
    #expect(quote.payment.applicationUsername == "leaf")
    #expect(quote.account == TeaShop.customer)
    #expect(quote.displayName == "A pot of oolong")
    #expect(quote.unitPrice == Price(amount: Milliunits(1990), currency: "USD"))
    #expect(quote.total == Price(amount: Milliunits(5970), currency: "USD"))
    #expect(quote.storefrontCountryCode == "USA")
    #expect(quote.localeIdentifier == "en_US")
    #expect(quote.epoch == shop.store.epoch)
  }

  @Test("A4 a quote is in the price, currency and language of the customer's storefront")
  func storefront() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "greta", storefrontCountryCode: "DEU"))
    let phone = try await shop.phone(signedInAs: "greta")
    let quote = try await shop.quote(TeaShop.sencha, quantity: 2, on: phone)
    #expect(quote.unitPrice == Price(amount: Milliunits(800), currency: "EUR"))
    #expect(quote.total == Price(amount: Milliunits(1600), currency: "EUR"))
    #expect(quote.displayName == "Sencha-Tee")
    #expect(quote.storefrontCountryCode == "DEU")
  }

  @Test("a refused quote changes nothing either")
  func refusedQuoteChangesNothing() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let before = try await shop.records()
    #expect(try await refusal { _ = try await shop.quote("no such tea", on: phone) } == .productNotAvailable)
    #expect(try await refusal { _ = try await shop.quote(quantity: 11, on: phone) } == .paymentInvalid)
    #expect(try await shop.records() == before)
  }

  @Test("B2 without a sign-in there is no quote")
  func signInFirst() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    #expect(try await refusal { _ = try await shop.quote(on: phone) } == .signInRequired)
  }

  @Test("an installation that has not registered gets no quote")
  func registerFirst() async throws {
    let shop = try await TeaShop()
    let stranger = Phone(id: "stranger", vendorID: UUID())
    #expect(try await refusal { _ = try await shop.quote(on: stranger) } == .unknownInstallation)
  }

  @Test("B6 the quantity is from 1 to 10", arguments: [Int.min, -1, 0, 11, Int.max])
  func quantityOutOfRange(quantity: Int) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    #expect(try await refusal { _ = try await shop.quote(quantity: quantity, on: phone) } == .paymentInvalid)
  }

  @Test("B6 the ends of the range are allowed", arguments: [1, 10])
  func quantityInRange(quantity: Int) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    #expect(try await shop.quote(quantity: quantity, on: phone).total.amount == Milliunits(1990 * Int64(quantity)))
  }

  @Test("B2 B6 no price is more than the largest of a configuration file, and the largest quantity of it has a total")
  func overflow() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.sell([ProductDefinition(productID: "gold", type: .consumable, price: Milliunits(.max))])
    #expect(try await shop.quote("gold", on: phone).total.amount == Milliunits(999_999_999_999_990))
    #expect(try await shop.quote("gold", quantity: 10, on: phone).total.amount == Milliunits(9_999_999_999_999_900))
  }

  @Test(
    "A1 every kind of product is quoted",
    arguments: [TeaShop.oolong, TeaShop.teapot, TeaShop.monthly, TeaShop.news, TeaShop.season])
  func everyKind(product: ProductID) async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let listing = try #require(try await shop.store.products([product], for: phone.id).products.first)
    #expect(try await shop.quote(product, on: phone).total == listing.price)
  }

  @Test("B6 what can be owned once is bought one at a time", arguments: [TeaShop.teapot, TeaShop.monthly])
  func oneOfWhatIsOwned(product: ProductID) async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    do {
      _ = try await shop.quote(product, quantity: 2, on: phone)
      Issue.record("the quote was not refused")
    } catch let refusal as StoreRefusal {
      #expect(refusal.code == .paymentInvalid)
      #expect(!refusal.message.contains("a auto"))
      #expect(refusal.message.contains("consumables and non-renewing subscriptions"))
    }
  }

  @Test("A1 B6 several of a non-renewing subscription are one charge and one transaction, in every proof")
  func severalPasses() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    #expect(try await shop.quote(TeaShop.season, quantity: 10, on: phone).total.amount == Milliunits(90_000))
    #expect(
      try await refusal { _ = try await shop.quote(TeaShop.season, quantity: 11, on: phone) } == .paymentInvalid)
    let batch = try await shop.buy(TeaShop.season, quantity: 3, on: phone)
    let delivery = try #require(batch.deliveries.first)
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(27_000)])
    #expect(try delivery.signed.quantity == 3)
    #expect(try UnverifiedLegacyReceipt(#require(delivery.transactionReceipt)).receipt.quantity == 3)
    let receipt = try #require(batch.receipt)
    #expect(try UnverifiedAppReceipt(receipt).receipt.inAppPurchases.map(\.quantity) == [3])
    #expect(try await VerifyReceiptAnswer(shop, receipt).inApp.first?["quantity"] == "3")
    // Also outside the app.
    let other = try await shop.store.purchase(
      TeaShop.season, quantity: 2, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    #expect(other.record.quantity == 2)
  }

  @Test("a payment needs an id")
  func emptyID() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    #expect(try await refusal { _ = try await shop.quote(as: "", on: phone) } == .paymentInvalid)
  }
}
