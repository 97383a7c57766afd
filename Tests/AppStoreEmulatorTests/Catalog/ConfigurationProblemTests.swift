import Crypto
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What a configuration file is refused for", .timeLimit(.minutes(30)))
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
    let read = try readConfiguration(file)
    #expect(read.products.map(\.productID) == ["com.example.ok"])
    let club = #"subscriptionGroups[0].subscriptions[0] ("com.example.club")"#
    #expect(
      read.warnings == [
        "products[1]: productID is missing or empty; this product is left out",
        #"products[2] ("com.example.x"): unknown type "Foo"; use Consumable or NonConsumable; this product is left out"#,
        #"products[2] ("com.example.x"): displayPrice "-3" is negative; a price is 0 or more; this product is left out"#,
        #"products[3] ("com.example.ok"): productID "com.example.ok" is already used by products[0] ("com.example.ok"); "#
          + "this product is left out",
        #"\#(club): subscriptionGroupID "B" is not the id of its group, "A"; it has no effect"#,
        "\(club): groupNumber 0 is out of range; use a whole number of 1 or more; it has no effect",
        #"subscriptionGroups[0].subscriptions[0].adHocOffers[0] ("com.example.club", "spring"): "#
          + #"unknown paymentMode "gratis"; use free, payAsYouGo or payUpFront; this offer is left out"#,
        #"\#(club): recurringSubscriptionPeriod "monthly" is not a period; use one such as P1W, P1M or P1Y; "#
          + "this product is left out",
      ])
  }

  @Test("A file of which no product can be sold is refused, for all its products")
  func nothingToSell() {
    let file = """
      {"products":[
        {"productID":"a","type":"Consumabel","displayPrice":"1"}, {"productID":"b","type":"Consumable","displayPrice":"x"}
      ]}
      """
    #expect(
      #expect(throws: StoreKitConfigurationError.self) { try readConfiguration(file) }?.description == """
        Shop.storekit: 2 problems
          products[0] ("a"): unknown type "Consumabel"; use Consumable or NonConsumable
          products[1] ("b"): displayPrice "x" is not a price; use digits and a point, such as 0.99
        """)
    #expect(problems(of: "{}").isEmpty)
  }

  @Test(
    "A product is left out for one reason at a time",
    arguments: [
      (#""type":null"#, .missing(key: "type")),
      (#""type":4"#, .wrongType(key: "type", expected: "a string")),
      (
        #""type":"RecurringSubscription""#,
        .misplacedType(value: "RecurringSubscription", belongsIn: "subscriptionGroups")
      ),
      (#""productID":"  ""#, .missing(key: "productID")),
      (#""productID":7"#, .wrongType(key: "productID", expected: "a string")),
    ] as [(String, StoreKitConfigurationError.Kind)])
  func product(members: String, kind: StoreKitConfigurationError.Kind) {
    #expect(problems(of: fileWithConsumable(members)).map(\.kind) == [kind])
  }

  @Test(
    "A subscription is left out for one reason at a time",
    arguments: [
      (
        #""type":"Consumable""#, .misplacedType(value: "Consumable", belongsIn: "products")
      ),
      (#""recurringSubscriptionPeriod":"P0M""#, .malformedPeriod(key: "recurringSubscriptionPeriod", value: "P0M")),
      (#""recurringSubscriptionPeriod":"""#, .missing(key: "recurringSubscriptionPeriod")),
      (#""displayPrice":"x""#, .malformedPrice(key: "displayPrice", value: "x")),
    ] as [(String, StoreKitConfigurationError.Kind)])
  func subscription(members: String, kind: StoreKitConfigurationError.Kind) {
    #expect(problems(of: fileWithSubscription(members)).map(\.kind) == [kind])
  }

  @Test("Of several products with one identifier, in all parts of the file, the first that can be sold is sold")
  func duplicates() throws {
    let file = try readConfiguration(
      """
      {"products":[{"productID":"p","type":"Consumable","displayPrice":"x"}],
       "nonRenewingSubscriptions":[{"productID":"p","displayPrice":"1"}],
       "subscriptionGroups":[{"id":"G","subscriptions":[
         {"productID":"p","displayPrice":"1","recurringSubscriptionPeriod":"P1W"}]}, {"id":"G"}]}
      """)
    #expect(file.products.map(\.type) == [.nonRenewingSubscription])
    #expect(file.subscriptionGroups.map(\.id) == ["G"])
    #expect(
      file.warnings == [
        #"products[0] ("p"): displayPrice "x" is not a price; use digits and a point, such as 0.99; "#
          + "this product is left out",
        #"subscriptionGroups[0].subscriptions[0] ("p"): productID "p" is already used by "#
          + #"nonRenewingSubscriptions[0] ("p"); this product is left out"#,
        #"subscriptionGroups[1] ("G"): id "G" is already used by subscriptionGroups[0] ("G"); they are one group"#,
      ])
  }

  @Test("An offers key must be whole, a P-256 key, and in base64, over one line or several; or it is left out")
  func offersKey() throws {
    func file(_ key: String) -> String { "{\"subscriptionOffersKeyPair\":\(key)}" }
    let lost = "the key is left out, so no promotional offer can be bought"
    for (key, problems) in [
      (#"{"id":"K","privateKey":"a*b"}"#, ["\(StoreKitConfigurationError.Kind.malformedOffersKey)"]),
      (#"{"id":"K","privateKey":"YWJj"}"#, ["\(StoreKitConfigurationError.Kind.unusableOffersKey)"]),
      ("{}", ["id is missing or empty", "privateKey is missing or empty"]),
    ] {
      let read = try readConfiguration(file(key))
      #expect(read.offersKey == nil)
      #expect(read.warnings == problems.map { "subscriptionOffersKeyPair: \($0); \(lost)" })
    }
    let base64 = ConfigurationFixtures.offersKey.base64EncodedString()
    let lines = "\(base64.prefix(64))\\n\(base64.dropFirst(64))\\n"
    let wrapped = try readConfiguration(file("{\"id\":\"K\",\"privateKey\":\"\(lines)\"}"))
    #expect(wrapped.offersKey?.privateKey == ConfigurationFixtures.offersKey)
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
