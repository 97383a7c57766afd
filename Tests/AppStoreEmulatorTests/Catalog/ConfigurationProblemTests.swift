import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What a configuration file is refused for", .timeLimit(.minutes(10)))
struct ConfigurationProblemTests {
  @Test("Everything wrong is named at once, by place and product, in words to act on")
  func allAtOnce() throws {
    let file = """
      {"products":[
        {"productID":"com.example.ok","type":"Consumable","displayPrice":"1"},
        {"productID":"","type":"Consumable","displayPrice":"1"},
        {"productID":"com.example.x","type":"Foo","displayPrice":"-3"},
        {"productID":"com.example.ok","type":"NonConsumable","displayPrice":"1"}
      ],"subscriptionGroups":[{"id":"A","name":"Club","subscriptions":[
        {"productID":"com.example.club","subscriptionGroupID":"B","groupNumber":0,"displayPrice":"1",
         "recurringSubscriptionPeriod":"monthly",
         "adHocOffers":[{"offerID":"spring","paymentMode":"gratis","subscriptionPeriod":"P1M"}]}
      ]}]}
      """
    let error = #expect(throws: StoreKitConfigurationError.self) { try readConfiguration(file) }
    let club = #"subscriptionGroups[0].subscriptions[0] ("com.example.club")"#
    #expect(
      error?.description == """
        Shop.storekit: 8 problems
          products[1]: productID is missing or empty
          products[2] ("com.example.x"): unknown type "Foo"; use Consumable or NonConsumable
          products[2] ("com.example.x"): displayPrice "-3" is negative; a price is 0 or more
          products[3] ("com.example.ok"): productID "com.example.ok" is already used by products[0] ("com.example.ok")
          \(club): subscriptionGroupID "B" is not the id of its group, "A"
          \(club): groupNumber 0 is out of range; use a whole number of 1 or more
          \(club): recurringSubscriptionPeriod "monthly" is not a period; use one such as P1W, P1M or P1Y
          subscriptionGroups[0].subscriptions[0].adHocOffers[0] ("com.example.club", "spring"): \
        unknown paymentMode "gratis"; use free, payAsYouGo or payUpFront
        """)
  }

  @Test(
    "A product is refused for one reason at a time",
    arguments: [
      (#""type":null"#, .missing(key: "type")),
      (#""type":4"#, .wrongType(key: "type", expected: "a string")),
      (
        #""type":"RecurringSubscription""#,
        .misplacedType(value: "RecurringSubscription", belongsIn: "subscriptionGroups")
      ),
      (
        #""type":"NonRenewingSubscription""#,
        .misplacedType(value: "NonRenewingSubscription", belongsIn: "nonRenewingSubscriptions")
      ),
      (#""productID":"  ""#, .missing(key: "productID")),
      (#""productID":7"#, .wrongType(key: "productID", expected: "a string")),
      (#""familyShareable":"yes""#, .wrongType(key: "familyShareable", expected: "true or false")),
      (#""familyShareable":1"#, .wrongType(key: "familyShareable", expected: "true or false")),
      (#""localizations":{}"#, .wrongType(key: "localizations", expected: "an array")),
      (#""localizations":["en"]"#, .wrongType(key: "localizations[0]", expected: "an object")),
      (#""localizations":[{"displayName":"Lamp"}]"#, .missing(key: "locale")),
      (#""internalID":[]"#, .wrongType(key: "internalID", expected: "a string")),
    ] as [(String, StoreKitConfigurationError.Kind)])
  func product(members: String, kind: StoreKitConfigurationError.Kind) {
    #expect(problems(of: fileWithConsumable(members)).map(\.kind) == [kind])
  }

  @Test(
    "A subscription is refused for one reason at a time",
    arguments: [
      (
        #""type":"Consumable""#, .misplacedType(value: "Consumable", belongsIn: "products")
      ),
      (#""groupNumber":-2"#, .outOfRange(key: "groupNumber", value: "-2", range: 1...Int.max)),
      (#""groupNumber":1.5"#, .outOfRange(key: "groupNumber", value: "1.5", range: 1...Int.max)),
      (#""groupNumber":"1""#, .wrongType(key: "groupNumber", expected: "a whole number")),
      (#""recurringSubscriptionPeriod":"P0M""#, .malformedPeriod(key: "recurringSubscriptionPeriod", value: "P0M")),
      (#""recurringSubscriptionPeriod":"""#, .missing(key: "recurringSubscriptionPeriod")),
      (#""introductoryOffer":[]"#, .wrongType(key: "introductoryOffer", expected: "an object")),
      (#""introductoryOffer":{"paymentMode":"free"}"#, .missing(key: "subscriptionPeriod")),
      (#""introductoryOffer":{"subscriptionPeriod":"P1M"}"#, .missing(key: "paymentMode")),
      (
        #""introductoryOffer":{"subscriptionPeriod":"P1M","paymentMode":"free","numberOfPeriods":0}"#,
        .outOfRange(key: "numberOfPeriods", value: "0", range: 1...999)
      ),
      (#""adHocOffers":[{"subscriptionPeriod":"P1M","paymentMode":"free"}]"#, .missing(key: "offerID")),
      (
        #""winbackOffers":[{"offerID":"w","subscriptionPeriod":"P1M","paymentMode":"free"},{"offerID":"w"}]"#,
        .duplicate(
          key: "offerID", value: "w",
          first: #"subscriptionGroups[0].subscriptions[0].winbackOffers[0] ("club", "w")"#)
      ),
      (
        #""codeOffers":[{"referenceName":"c","subscriptionPeriod":"P1M","paymentMode":"free","eligibility":["all"]}]"#,
        .unknownValue(key: "eligibility", value: "all", allowed: ["new", "existing", "expired"])
      ),
    ] as [(String, StoreKitConfigurationError.Kind)])
  func subscription(members: String, kind: StoreKitConfigurationError.Kind) {
    #expect(problems(of: fileWithSubscription(members)).map(\.kind) == [kind])
  }

  @Test("A product identifier is unique across all parts of the file, also where the first is refused")
  func duplicates() {
    let file = """
      {"products":[{"productID":"p","type":"Consumable","displayPrice":"x"}],
       "nonRenewingSubscriptions":[{"productID":"p","displayPrice":"1"}],
       "subscriptionGroups":[{"id":"G","subscriptions":[
         {"productID":"p","displayPrice":"1","recurringSubscriptionPeriod":"P1W"}]}, {"id":"G"}]}
      """
    let duplicate = StoreKitConfigurationError.Kind.duplicate(
      key: "productID", value: "p", first: "products[0] (\"p\")")
    #expect(
      problems(of: file).map(\.kind) == [
        .malformedPrice(key: "displayPrice", value: "x"), duplicate, duplicate,
        .duplicate(key: "id", value: "G", first: "subscriptionGroups[0] (\"G\")"),
      ])
  }

  @Test("An offers key must be whole and in base64, over one line or several")
  func offersKey() throws {
    func file(_ key: String) -> String { "{\"subscriptionOffersKeyPair\":\(key)}" }
    #expect(problems(of: file(#"{"id":"K","privateKey":"a*b"}"#)).map(\.kind) == [.malformedOffersKey])
    #expect(
      problems(of: file("{}")).map(\.description) == [
        "subscriptionOffersKeyPair: id is missing or empty",
        "subscriptionOffersKeyPair: privateKey is missing or empty",
      ])
    let wrapped = try readConfiguration(file(#"{"id":"K","privateKey":"YWJj\nZGVm\n"}"#))
    #expect(wrapped.offersKey?.privateKey == Data("abcdef".utf8))
    #expect(try #require(wrapped.offersKey).description == "offers key K")
    #expect(try readConfiguration(file("null")).offersKey == nil)
  }

  @Test("Text of the file cannot break the lines of a message, nor drown it")
  func quoting() throws {
    let name = "a\\nb" + String(repeating: "c", count: 5000)
    let problem = try #require(problems(of: fileWithConsumable("\"type\":\"\(name)\"")).first)
    #expect(!problem.description.contains("\n"))
    #expect(problem.description.count < 250)
  }

  @Test("A file made only of mistakes is reported up to a thousand of them")
  func manyMistakes() {
    let file = "{\"products\":[\(Array(repeating: "1", count: 5000).joined(separator: ","))]}"
    #expect(problems(of: file).count == 1000)
  }
}
