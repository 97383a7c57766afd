import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("A signed transaction's payload", .timeLimit(.minutes(30)))
struct SignedTransactionTests {
  @Test("H1 every field of a record comes back from the payload it is rendered to")
  func roundTrip() throws {
    let record = SampleRecords.everything()
    let nonce = SampleRecords.vendorIdentifier
    let transaction = SignedTransaction(
      record: record, signedDate: SampleRecords.date.adding(milliseconds: 123),
      deviceVerification: SampleRecords.device.verification(nonce: nonce), deviceVerificationNonce: nonce)
    let read = try SignedTransaction(payload: transaction.payloadBytes())
    #expect(read == transaction)
    #expect(read.transactionID == record.transactionID)
    #expect(read.type == .autoRenewableSubscription)
    #expect(read.environment == .sandbox)
    #expect(read.ownership == .familyShared)
    #expect(read.revocationReason == .issueWithApp)
    #expect(read.revocationType == .proratedRefund)
    #expect(read.offerType == .promotional)
    #expect(read.offerIdentifier == record.offerIdentifier)
    #expect(read.offerPeriod == record.offerPeriod)
    #expect(read.offerDiscountType == .payAsYouGo)
    #expect(read.billingPlanType == .monthly)
    #expect(read.commitment == record.commitment)
    #expect(read.advancedCommerceInfo == record.advancedCommerceInfo)
    #expect(read.reason == .renewal)
    #expect(read.isIssued(for: SampleRecords.device))
  }

  @Test("the same record gives the same bytes, with keys in order and absent fields left out")
  func deterministicBytes() throws {
    let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date)
    let text = String(decoding: transaction.payloadBytes(), as: UTF8.self)
    #expect(
      text
        == String(
          decoding: SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date).payloadBytes(),
          as: UTF8.self))
    #expect(
      text
        == #"{"appTransactionId":"704000000000000001","bundleId":"com.example.monkeys","currency":"USD","#
        + #""environment":"Sandbox","inAppOwnershipType":"PURCHASED","originalPurchaseDate":1714557600000,"#
        + #""originalTransactionId":"4000000007","price":5970,"productId":"credits.5","purchaseDate":1714557600000,"#
        + #""quantity":3,"signedDate":1714557600000,"storefront":"USA","storefrontId":"143441","#
        + #""transactionId":"4000000007","transactionReason":"PURCHASE","type":"Consumable"}"#)
    let all = SignedTransaction(record: SampleRecords.everything(), signedDate: SampleRecords.date).payloadBytes()
    let object = try #require(try JSONSerialization.jsonObject(with: Data(all)) as? [String: Any])
    var places: [Int] = []
    let bytes = Data(all)
    for key in object.keys.sorted() {
      places.append(try #require(bytes.range(of: Data("\"\(key)\":".utf8), options: .backwards)).lowerBound)
    }
    #expect(places == places.sorted())
  }

  @Test("words and members of a later version never break reading")
  func unknownValues() throws {
    let json = minimal(
      #","type":"Lifetime Pass","offerType":9,"environment":"Moon","futureField":{"a":[1,{}]},"isUpgraded":false,"#
        + #""inAppOwnershipType":"LENT","revocationReason":77,"offerPeriod":"PT1H","price":null"#)
    let read = try SignedTransaction(payload: Array(json.utf8))
    #expect(read.type == nil && read.rawType == "Lifetime Pass")
    #expect(read.offerType == nil && read.rawOfferType == 9)
    #expect(read.environment == nil && read.rawEnvironment == "Moon")
    #expect(read.ownership == nil && read.revocationReason == nil && read.offerPeriod == nil)
    #expect(read.price == nil)
    #expect(!read.isUpgraded && read.quantity == 1)
  }

  @Test("Xcode's fractional milliseconds are rounded to the nearest")
  func fractionalDates() throws {
    let json = minimal("").replacingOccurrences(of: #""signedDate":3"#, with: #""signedDate":1714557600123.5004"#)
    #expect(try SignedTransaction(payload: Array(json.utf8)).signedDate.millisecondsSince1970 == 1_714_557_600_124)
  }

  @Test(
    "what must be there must be there",
    arguments: [
      "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "originalPurchaseDate",
      "signedDate",
    ])
  func required(name: String) async {
    let json = minimal("").replacingOccurrences(of: "\"\(name)\"", with: "\"x\(name)\"")
    #expect(await refusal { try SignedTransaction(payload: Array(json.utf8)) } == .structure)
  }

  @Test(
    "a second member of the same name is refused, also when it is spelled with escapes",
    arguments: [
      #","bundleId":"com.example.other""#, #","b\u0075ndleId":"com.example.other""#, #","a":1,"a":1"#,
    ])
  func duplicates(extra: String) async {
    #expect(await refusal { try SignedTransaction(payload: Array(minimal(extra).utf8)) } == .structure)
  }

  @Test("an Advanced Commerce text that is no JSON is kept as a string and the payload stays whole")
  func brokenAdvancedCommerce() throws {
    var transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date)
    transaction.advancedCommerceInfo = #"{"a":1},"bundleId":"evil""#
    let read = try SignedTransaction(payload: transaction.payloadBytes())
    #expect(read.bundleID == SampleRecords.bundleID)
  }

  private func minimal(_ extra: String) -> String {
    #"{"transactionId":"1","originalTransactionId":"1","bundleId":"a","productId":"p","purchaseDate":1,"#
      + #""originalPurchaseDate":2,"signedDate":3"# + extra + "}"
  }
}
