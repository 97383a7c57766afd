import Foundation
import StoreModel
import Testing

/// StoreKit 2 has added optional members to messages. A message without them has the bytes of the versions before, in both
/// directions.
@Suite("The messages of a device with StoreKit 1", .timeLimit(.minutes(30)))
struct DeviceMessageTests {
  private static let payment = PaymentRequest(
    paymentID: "pay", productID: "tea", quantity: 2, applicationUsername: "leaf", simulatesAskToBuyInSandbox: true,
    offer: PaymentOffer(
      kind: .promotional, identifier: "half",
      signature: OfferSignature(keyID: "K", nonce: "n", timestamp: 5, signature: "c2/n")))

  private static let paymentText =
    #"{"applicationUsername":"leaf","offer":{"identifier":"half","kind":"promotional","signature":"#
    + #"{"keyID":"K","nonce":"n","signature":"c2/n","timestamp":5}},"paymentID":"pay","productID":"tea","#
    + #""quantity":2,"simulatesAskToBuyInSandbox":true}"#

  private func text(_ call: some StoreCall) throws -> String {
    let message = DeviceAPI.Request(installationID: "phone", call: call)
    return String(decoding: try DeviceAPI.encoder().encode(message), as: UTF8.self)
  }

  @Test("B4 the requests for a quote and for a charge stay as they are")
  func payments() throws {
    let plain = PaymentRequest(paymentID: "pay", productID: "tea")
    #expect(
      try text(QuoteCall(payment: plain))
        == #"{"call":{"payment":{"paymentID":"pay","productID":"tea","quantity":1}},"installationID":"phone"}"#)
    #expect(
      try text(QuoteCall(payment: Self.payment))
        == #"{"call":{"payment":"# + Self.paymentText + #"},"installationID":"phone"}"#)
    let month = CalendarPeriod(value: 1, unit: .month)
    let quote = PaymentQuote(
      payment: Self.payment, account: "ada", displayName: "Tea",
      unitPrice: Price(amount: Milliunits(1_990), currency: "USD"),
      total: Price(amount: Milliunits(3_980), currency: "USD"),
      plan: SubscriptionQuote(
        period: month,
        offer: SubscriptionOffer(
          kind: .promotional, identifier: "half", paymentMode: .payAsYouGo, period: month, price: Milliunits(5)),
        startDate: StoreDate(millisecondsSince1970: 7)),
      storefrontCountryCode: "USA", localeIdentifier: "en_US", epoch: "1", authenticationCode: Data([1]))
    let expected =
      #"{"call":{"quote":{"account":"ada","authenticationCode":"AQ==","displayName":"Tea","epoch":"1","#
      + #""localeIdentifier":"en_US","payment":"# + Self.paymentText
      + #","plan":{"offer":{"eligibility":[],"identifier":"half","kind":"promotional","numberOfPeriods":1,"#
      + #""paymentMode":"payAsYouGo","period":"P1M","price":5},"period":"P1M","startDate":7},"#
      + #""storefrontCountryCode":"USA","total":{"amount":3980,"currency":"USD"},"#
      + #""unitPrice":{"amount":1990,"currency":"USD"}}},"installationID":"phone"}"#
    #expect(try text(ConfirmCall(quote: quote)) == expected)
  }

  @Test("the other calls that StoreKit 2 has extended stay as they are without its members")
  func calls() throws {
    #expect(
      try text(ProductsCall(productIDs: ["tea"])) == #"{"call":{"productIDs":["tea"]},"installationID":"phone"}"#)
    #expect(try text(TransactionsCall(after: nil, limit: 5)) == #"{"call":{"limit":5},"installationID":"phone"}"#)
    #expect(
      try text(ChangesCall(after: ChangeCursor(rawValue: 7), waitSeconds: 0.5))
        == #"{"call":{"after":7,"waitSeconds":0.5},"installationID":"phone"}"#)
  }

  @Test("an answer of the version before is read, and has no members of StoreKit 2")
  func answers() throws {
    let text = #"{"changes":[{"kind":"promotedPurchase","productIDs":["tea"]}],"cursor":3}"#
    let changes = try JSONDecoder().decode(DeviceChanges.self, from: Data(text.utf8))
    #expect(
      changes
        == DeviceChanges(
          changes: [StoreChange(.promotedPurchase, productIDs: ["tea"])], cursor: ChangeCursor(rawValue: 3)))
    #expect(String(decoding: try DeviceAPI.encoder().encode(changes), as: UTF8.self) == text)
    let page = TransactionChanges(
      account: "ada", transactions: [], revision: StoreRevision(epoch: "1", number: 2), hasMore: false)
    let members = try JSONSerialization.jsonObject(with: DeviceAPI.encoder().encode(page)) as? [String: Any]
    #expect(members.map { Set($0.keys) } == ["account", "transactions", "revision", "hasMore"])
    let listing = ProductListing(
      productID: "tea", type: .consumable, displayName: "Tea", productDescription: "",
      price: Price(amount: .zero, currency: "USD"), localeIdentifier: "en_US", isFamilyShareable: false,
      subscription: nil)
    let json = String(decoding: try DeviceAPI.encoder().encode(listing), as: UTF8.self)
    #expect(!json.contains("internalID") && !json.contains("groupDisplayName"))
    #expect(try JSONDecoder().decode(ProductListing.self, from: Data(json.utf8)) == listing)
  }
}
