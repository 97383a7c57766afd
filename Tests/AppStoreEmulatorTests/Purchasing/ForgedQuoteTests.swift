import Crypto
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A quote that another store made", .timeLimit(.minutes(30)))
struct ForgedQuoteTests {
  enum Forgery: String, CaseIterable, Sendable {
    case product, quantity, username, account, displayName, unitPrice, total, currency, storefront, locale, emptyCode
    case flippedBit, longerCode
  }

  private func forge(_ quote: PaymentQuote, _ forgery: Forgery) -> PaymentQuote {
    let payment = quote.payment
    var code = quote.authenticationCode
    switch forgery {
    case .product:
      return quote.altered(payment: PaymentRequest(paymentID: payment.paymentID, productID: TeaShop.sencha))
    case .quantity:
      return quote.altered(
        payment: PaymentRequest(paymentID: payment.paymentID, productID: payment.productID, quantity: 10))
    case .username:
      return quote.altered(
        payment: PaymentRequest(
          paymentID: payment.paymentID, productID: payment.productID, applicationUsername: "mallory"))
    case .account: return quote.altered(account: "bob")
    case .displayName: return quote.altered(displayName: "Free tea")
    case .unitPrice: return quote.altered(unitPrice: 1)
    case .total: return quote.altered(total: Price(amount: .zero, currency: "USD"))
    case .currency: return quote.altered(total: Price(amount: quote.total.amount, currency: "JPY"))
    case .storefront: return quote.altered(storefront: "DEU")
    case .locale: return quote.altered(locale: "en_GB")
    case .emptyCode: return quote.altered(code: Data())
    case .flippedBit:
      code[code.startIndex] ^= 1
      return quote.altered(code: code)
    case .longerCode: return quote.altered(code: code + Data([0]))
    }
  }

  @Test(
    "G6 altered in any part it is refused, nothing is changed, and the true one still holds",
    arguments: Forgery.allCases)
  func altered(forgery: Forgery) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    let quote = try await shop.quote(on: phone)
    let forged = forge(quote, forgery)
    let before = try await shop.records()
    #expect(try await refusal { _ = try await shop.store.confirm(forged, for: phone.id) } == .quoteNotGenuine)
    #expect(try await shop.records() == before)
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(1990)])
  }

  @Test("the authenticated bytes of a quote stay as they are, so that a confirmed quote of before stays genuine")
  func content() throws {
    let month = CalendarPeriod(value: 1, unit: .month)
    let quote = PaymentQuote(
      payment: PaymentRequest(
        paymentID: "pay", productID: "tea", quantity: 2, applicationUsername: "leaf", simulatesAskToBuyInSandbox: true,
        offer: PaymentOffer(
          kind: .promotional, identifier: "half",
          signature: OfferSignature(keyID: "K", nonce: "n", timestamp: 5, signature: "c2/n"))),
      account: "ada", displayName: "Té", unitPrice: Price(amount: Milliunits(1_990), currency: "USD"),
      total: Price(amount: Milliunits(3_980), currency: "USD"),
      plan: SubscriptionQuote(
        period: month,
        offer: SubscriptionOffer(
          kind: .promotional, identifier: "half", paymentMode: .payAsYouGo, period: month, price: Milliunits(5)),
        startDate: StoreDate(millisecondsSince1970: 7)),
      storefrontCountryCode: "USA", localeIdentifier: "en_US", epoch: "1", authenticationCode: Data([1]))
    let stored =
      #"{"account":"ada","customer":3,"displayName":"Té","epoch":"1","installation":"phone","locale":"en_US","#
      + #""payment":{"applicationUsername":"leaf","offer":{"identifier":"half","kind":"promotional","signature":"#
      + #"{"keyID":"K","nonce":"n","signature":"c2/n","timestamp":5}},"paymentID":"pay","productID":"tea","#
      + #""quantity":2,"simulatesAskToBuyInSandbox":true},"plan":{"offer":{"eligibility":[],"identifier":"half","#
      + #""kind":"promotional","numberOfPeriods":1,"paymentMode":"payAsYouGo","period":"P1M","#
      + #""price":5},"period":"P1M","startDate":7},"storefront":"USA","#
      + #""total":{"amount":3980,"currency":"USD"},"unitPrice":{"amount":1990,"currency":"USD"}}"#
    let maker = QuoteMaker(key: SymmetricKey(data: Data(repeating: 1, count: 32)), epoch: "1")
    let content = try maker.content(of: quote, CustomerNumber(rawValue: 3), "phone")
    #expect(String(decoding: content, as: UTF8.self) == stored)
  }

  @Test("G6 a quote made for another installation is refused, of the same account too")
  func anotherInstallation() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    let quote = try await shop.quote(on: phone)
    let before = try await shop.records()
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: tablet.id) } == .quoteNotGenuine)
    #expect(try await shop.records() == before)
  }

  @Test("a quote of another epoch is refused by name, also with its own true code")
  func anotherEpoch() async throws {
    let before = try await TeaShop(seed: 1)
    let after = try await TeaShop(seed: 2)
    let phone = try await before.phone()
    try await after.phone()
    let quote = try await before.quote(on: phone)
    #expect(try await refusal { _ = try await after.store.confirm(quote, for: phone.id) } == .epochEnded)
    let relabelled = quote.altered(epoch: after.store.epoch)
    #expect(try await refusal { _ = try await after.store.confirm(relabelled, for: phone.id) } == .quoteNotGenuine)
    #expect(try await after.store.charges().isEmpty)
  }

  @Test("B9 a payment that was charged is answered also to a quote whose code is wrong: it is not charged again")
  func alteredAfterTheCharge() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
    let cheaper = quote.altered(unitPrice: 1)
    _ = try await shop.store.confirm(cheaper, for: phone.id).purchase()
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(1990)])
  }
}
