import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What a problem in a configuration file costs", .timeLimit(.minutes(30)))
struct ConfigurationLossTests {
  private static let terms = #""paymentMode":"free","subscriptionPeriod":"P1M""#

  @Test(
    "A1 an unfinished offer costs that offer and a warning; the product and its other offers are sold",
    arguments: [
      ("adHocOffers", "offerID"), ("winbackOffers", "offerID"), ("codeOffers", "referenceName"),
    ])
  func offers(array: String, idKey: String) throws {
    func offer(_ id: String, _ members: String = Self.terms) -> String { #"{"\#(idKey)":\#(id),\#(members)}"# }
    let unfinished = [
      (offer(#""""#), "\(idKey) is missing or empty"), (offer(#"" ""#), "\(idKey) is missing or empty"),
      (offer("null"), "\(idKey) is missing or empty"), (offer("7"), "\(idKey) must be a string"),
      (
        offer(#""first""#),
        #"\#(idKey) "first" is already used by subscriptionGroups[0].subscriptions[0].\#(array)[0] ("club", "first")"#
      ),
      (offer(#""x""#, #""paymentMode":"free""#), "subscriptionPeriod is missing or empty"),
      (
        offer(#""x""#, #""paymentMode":"free","subscriptionPeriod":"P1H""#),
        #"subscriptionPeriod "P1H" is not a period; use one such as P1W, P1M or P1Y"#
      ),
      (offer(#""x""#, #""subscriptionPeriod":"P1M""#), "paymentMode is missing or empty"),
      (
        offer(#""x""#, #""subscriptionPeriod":"P1M","paymentMode":"payUpFront""#), "displayPrice is missing or empty"
      ),
      (
        offer(#""x""#, Self.terms + #","numberOfPeriods":0"#),
        "numberOfPeriods 0 is out of range; use a whole number from 1 to 999"
      ),
    ]
    for (text, problem) in unfinished {
      let json = fileWithSubscription(#""\#(array)":[\#(offer(#""first""#)),\#(text),\#(offer(#""last""#))]"#)
      let file = try readConfiguration(json)
      #expect(file.products.first?.subscription?.offers.map(\.identifier) == ["first", "last"], "\(text)")
      #expect(warnings(of: json) == ["\(problem); this offer is left out"], "\(text)")
      #expect(file.warnings.first?.hasPrefix("subscriptionGroups[0].subscriptions[0].\(array)[1] (\"club\"") == true)
    }
    let file = try readConfiguration(fileWithSubscription(#""\#(array)":[7,\#(offer(#""last""#))]"#))
    #expect(file.products.first?.subscription?.offers.map(\.identifier) == ["last"])
    #expect(file.warnings.count == 1)
  }

  @Test("A1 an offer whose identifier is used twice is the first one, with its own switches")
  func switchesOfDoubles() throws {
    let file = try readConfiguration(
      fileWithSubscription(
        #""winbackOffers":[{"offerID":"w",\#(Self.terms)},{"offerID":"w","isEligible":true,\#(Self.terms)}],"#
          + #""codeOffers":[{"referenceName":"c",\#(Self.terms)},{"referenceName":"c","isStackable":true,\#(Self.terms)}]"#
      ))
    #expect(file.products.first?.winBackEligibility == [:])
    #expect(file.products.first?.stackableOfferCodes == [])
    #expect(file.products.first?.subscription?.offers.count == 2)
  }

  @Test(
    "A1 the introductory offer is the first that is finished",
    arguments: [
      (#""introductoryOffer":{"paymentMode":"free"}"#, nil), (#""introductoryOffer":[]"#, nil),
      (#""introductoryOffers":[{"paymentMode":"free"},{"paymentMode":"free","subscriptionPeriod":"P2W"}]"#, "P2W"),
      (
        #""introductoryOffers":[{"paymentMode":"free"}],"#
          + #""introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P3D"}"#, "P3D"
      ),
    ])
  func introductory(members: String, period: String?) throws {
    let file = try readConfiguration(fileWithSubscription(members))
    #expect(file.products.count == 1)
    #expect(file.products.first?.subscription?.offers.first?.period.iso8601 == period)
    #expect(file.warnings.count == 1)
  }

  @Test("A1 an offer code never becomes redeemable for more customers because a word in it is not known")
  func eligibility() throws {
    func offers(_ eligibility: String) throws -> [[SubscriptionOffer.Eligibility]] {
      let json = fileWithSubscription(
        #""codeOffers":[{"referenceName":"c","eligibility":\#(eligibility),\#(Self.terms)}]"#)
      #expect(try readConfiguration(json).warnings.isEmpty == false)
      return try readConfiguration(json).products.first?.subscription?.offers.map(\.eligibility) ?? []
    }
    #expect(try offers(#"["new","all"]"#) == [[.new]])
    for unknown in [#"["all"]"#, "[7]", #""new""#, "{}"] { #expect(try offers(unknown) == []) }
  }

  @Test(
    "A4 a value that is not needed costs itself only",
    arguments: [
      (#""familyShareable":"yes""#, "familyShareable must be true or false; it has no effect"),
      (#""familyShareable":1"#, "familyShareable must be true or false; it has no effect"),
      (#""internalID":[]"#, "internalID must be a string; it has no effect"),
      (#""referenceName":7"#, "referenceName must be a string; it has no effect"),
      (#""localizations":{}"#, "localizations must be an array; it has no effect"),
      (#""localizations":["en"]"#, "localizations[0] must be an object; these texts are left out"),
      (#""localizations":[{"displayName":"Lamp"}]"#, "locale is missing or empty; these texts are left out"),
      (#""localizations":[{"locale":"en_US","displayName":7}]"#, "displayName must be a string; it has no effect"),
      (
        #""type":"NonRenewingSubscription""#,
        #"type "NonRenewingSubscription" belongs in nonRenewingSubscriptions; the product is sold as that type"#
      ),
    ])
  func values(members: String, warning: String) throws {
    let json = fileWithConsumable(members)
    #expect(try readConfiguration(json).products.map(\.productID) == ["lamp"])
    #expect(warnings(of: json) == [warning])
  }

  @Test("A4 texts without a locale cost themselves; those of other languages are shown")
  func texts() throws {
    let file = try readConfiguration(
      fileWithConsumable(#""localizations":[{"displayName":"Lamp"},{"locale":"de_DE","displayName":"Lampe"}]"#))
    #expect(file.products.first?.localizations.map(\.displayName) == ["Lampe"])
  }

  @Test(
    "A1 a subscription is sold with what is known of its group",
    arguments: [
      (#""groupNumber":-2"#, "groupNumber -2 is out of range; use a whole number of 1 or more; it has no effect"),
      (#""groupNumber":1.5"#, "groupNumber 1.5 is out of range; use a whole number of 1 or more; it has no effect"),
      (#""groupNumber":"1""#, "groupNumber must be a whole number; it has no effect"),
      (#""subscriptionGroupID":"X""#, #"subscriptionGroupID "X" is not the id of its group, "G"; it has no effect"#),
      (#""billingPlans":7"#, "billingPlans must be an array; it has no effect"),
      (
        #""billingPlans":[{"billingPlanType":"BILLED_UPFRONT","displayPrice":"x"}]"#,
        #"displayPrice "x" is not a price; use digits and a point, such as 0.99; it has no effect"#
      ),
    ])
  func groups(members: String, warning: String) throws {
    let json = fileWithSubscription(members)
    let product = try #require(try readConfiguration(json).products.first)
    #expect(product.price == Milliunits(3000))
    let terms = try #require(product.subscription)
    #expect((terms.groupID, terms.groupLevel) == ("G", 1))
    #expect(warnings(of: json) == [warning])
  }

  @Test("A1 subscriptions of two groups with the same id are in one group")
  func sameGroup() throws {
    func group(_ product: String) -> String {
      #"{"id":"G","subscriptions":[{"productID":"\#(product)","displayPrice":"1","recurringSubscriptionPeriod":"P1M"}]}"#
    }
    let file = try readConfiguration("{\"subscriptionGroups\":[\(group("a")),\(group("b"))]}")
    #expect(file.subscriptionGroups.map(\.productIDs) == [["a", "b"]])
    #expect(file.products.map { $0.subscription?.groupID } == ["G", "G"])
    #expect(file.warnings.count == 1)
  }

  @Test("A1 a product that cannot be sold costs itself; the others are sold, in their order")
  func products() throws {
    let file = try readConfiguration(
      """
      {"products":[
        {"productID":"a","type":"Consumable","displayPrice":"1"}, 7,
        {"productID":"b","type":"Consumable"},
        {"productID":"c","type":"Consumable","displayPrice":"1.2345"},
        {"productID":"d","type":"NonConsumable","displayPrice":"2"}],
       "nonRenewingSubscriptions":{},
       "subscriptionGroups":[null,{"id":"G","subscriptions":[
         {"productID":"e","displayPrice":"1"},
         {"productID":"f","displayPrice":"1","recurringSubscriptionPeriod":"P1Y"}]}]}
      """)
    #expect(file.products.map(\.productID) == ["a", "d", "f"])
    #expect(file.subscriptionGroups.map(\.productIDs) == [["f"]])
    #expect(
      file.warnings == [
        "products[1] must be an object; this product is left out",
        #"products[2] ("b"): displayPrice is missing or empty; this product is left out"#,
        #"products[3] ("c"): displayPrice "1.2345" has more than 3 decimals; prices are kept in thousandths; "#
          + "this product is left out",
        "nonRenewingSubscriptions must be an array; its products are left out",
        "subscriptionGroups[0] must be an object; this product is left out",
        #"subscriptionGroups[1].subscriptions[0] ("e"): recurringSubscriptionPeriod is missing or empty; "#
          + "this product is left out",
      ])
  }
}
