import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What a configuration file may leave out or write differently", .timeLimit(.minutes(30)))
struct ConfigurationLeniencyTests {
  @Test("A1 an empty object is a store without products, read as the newest version")
  func emptyObject() throws {
    let file = try readConfiguration("{}")
    #expect(file.products.isEmpty)
    #expect(file.version == .init(major: 5, minor: 0))
    #expect(file.warnings.isEmpty)
  }

  @Test("A newer major version is read, with a warning", arguments: [6, 7, 0, -1])
  func unknownMajor(major: Int) throws {
    let file = try readConfiguration("{\"version\":{\"major\":\(major),\"minor\":3},\"surprise\":[1]}")
    #expect(file.version == .init(major: major, minor: 3))
    #expect(file.warnings == ["version \(major).3 is not known here; the file is read as version 5.0"])
  }

  @Test("Compact JSON says the same as Xcode's layout", arguments: ConfigurationFixtures.all.indices)
  func compact(fixture: Int) throws {
    let text = ConfigurationFixtures.all[fixture]
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let compact = try JSONSerialization.data(withJSONObject: object)
    #expect(compact.count < text.utf8.count)
    #expect(try StoreKitConfiguration(data: compact, name: "compact") == readConfiguration(text))
  }

  @Test("A2 the least a product needs is an identifier, a type and a price")
  func leastProduct() throws {
    let file = try readConfiguration(
      #"{"products":[{"productID":"lamp","type":"NonConsumable","displayPrice":"2","identifier":"L"}]}"#)
    #expect(
      file.products == [ProductDefinition(productID: "lamp", type: .nonConsumable, price: Milliunits(2000))])
    #expect(file.products.first?.internalID.wholeMatch(of: /[0-9A-F]{8}/) != nil)
  }

  @Test("A synthesised internal id is the same each time and differs between products")
  func internalIDs() {
    #expect(ProductDefinition.internalID(synthesizedFrom: "") == "811C9DC5")
    #expect(ProductDefinition.internalID(synthesizedFrom: "a") == "E40C292C")
    #expect(ProductDefinition.internalID(synthesizedFrom: "foobar") == "BF9CF968")
  }

  @Test("Nulls count as absent")
  func nulls() throws {
    let file = try readConfiguration(
      fileWithSubscription(
        #""introductoryOffer":null,"adHocOffers":null,"localizations":null,"type":null,"groupNumber":null,"#
          + #""subscriptionGroupID":null,"billingPlans":null,"familyShareable":null"#))
    #expect(file.products.first?.subscription?.groupID == "G")
    #expect(file.products.first?.subscription?.groupLevel == 1)
    #expect(file.warnings.isEmpty)
  }

  @Test("A group without an id takes the one its subscriptions name, or one that stays the same")
  func groupWithoutID() throws {
    let named = fileWithSubscription().replacing("\"id\":\"G\",", with: "")
    #expect(try readConfiguration(named).subscriptionGroups.map(\.id) == ["G"])
    let bare = named.replacing("\"subscriptionGroupID\":\"G\",", with: "")
    let first = try readConfiguration(bare)
    #expect(first.subscriptionGroups.first?.id.rawValue.count == 8)
    #expect(try readConfiguration(bare) == first)
    #expect(first.products.first?.subscription?.groupID == first.subscriptionGroups.first?.id)
  }

  @Test("A number counts as its digits where an identifier belongs")
  func numericIdentifiers() throws {
    let file = try readConfiguration(
      fileWithSubscription("\"subscriptionGroupID\":21,\"internalID\":6400000001")
        .replacing("\"id\":\"G\"", with: "\"id\":21"))
    #expect(file.products.map(\.internalID) == ["6400000001"])
    #expect(file.products.first?.subscription?.groupID == "21")
    #expect(
      warnings(of: fileWithSubscription("\"subscriptionGroupID\":21")) == [
        #"subscriptionGroupID "21" is not the id of its group, "G"; it has no effect"#
      ])
  }

  @Test("The singular introductory offer counts where there is no plural, and the plural where there are both")
  func introductoryOffers() throws {
    func offer(_ period: String) -> String { #"{"paymentMode":"free","subscriptionPeriod":"\#(period)"}"# }
    func period(_ members: String) throws -> String? {
      try readConfiguration(fileWithSubscription(members)).products.first?.subscription?.offers.first?.period.iso8601
    }
    #expect(try period("\"introductoryOffer\":\(offer("P3D"))") == "P3D")
    #expect(try period("\"introductoryOffer\":\(offer("P3D")),\"introductoryOffers\":[]") == "P3D")
    #expect(try period("\"introductoryOffer\":\(offer("P3D")),\"introductoryOffers\":[\(offer("P1W"))]") == "P1W")
    let two = try readConfiguration(
      fileWithSubscription("\"introductoryOffers\":[\(offer("P1W")),\(offer("P2W"))]"))
    #expect(two.products.first?.subscription?.offers.map(\.period.iso8601) == ["P1W"])
    #expect(two.warnings.count == 1)
  }

  @Test("An offer code without eligibility is for everybody")
  func eligibility() throws {
    for members in ["", #","eligibility":[]"#, #","eligibility":null"#] {
      let file = try readConfiguration(
        fileWithSubscription(
          #""codeOffers":[{"referenceName":"FAIR","paymentMode":"free","subscriptionPeriod":"P1M"\#(members)}]"#))
      #expect(file.products.first?.subscription?.offers.map(\.eligibility) == [[.new, .existing, .expired]])
      #expect(file.products.first?.stackableOfferCodes == [])
    }
  }

  @Test("An offer code is known by its reference name, and is combined with others only when the file says so")
  func offerCodeNames() throws {
    let terms = #""paymentMode":"free","subscriptionPeriod":"P1M""#
    let file = try readConfiguration(
      fileWithSubscription(
        #""codeOffers":[{"referenceName":"FAIR","offerID":"x","isStackable":false,\#(terms)},"#
          + #"{"offerID":"OLD","isStackable":true,\#(terms)}]"#))
    #expect(file.products.first?.subscription?.offers.map(\.identifier) == ["FAIR", "OLD"])
    #expect(file.products.first?.stackableOfferCodes == ["OLD"])
  }

  @Test("numberOfPeriods lengthens a pay-as-you-go offer only")
  func numberOfPeriods() throws {
    for (mode, expected) in [("free", 1), ("payUpFront", 1), ("payAsYouGo", 4)] {
      let file = try readConfiguration(
        fileWithSubscription(
          #""introductoryOffer":{"paymentMode":"\#(mode)","subscriptionPeriod":"P1W","displayPrice":"1","#
            + #""numberOfPeriods":4}"#))
      #expect(file.products.first?.subscription?.offers.map(\.numberOfPeriods) == [expected])
      #expect(file.warnings.count == (expected == 1 ? 1 : 0))
    }
  }

  @Test("A file of which only a monthly plan is sold keeps the price beside the plans")
  func onlyMonthlyPlan() throws {
    let file = try readConfiguration(
      fileWithSubscription(#""billingPlans":[{"billingPlanType":"MONTHLY","displayPrice":"9"}]"#))
    #expect(file.products.map(\.price) == [Milliunits(3000)])
    #expect(file.warnings.count == 1)
  }

  @Test("An up-front plan that is switched off still sets the price, with a warning")
  func disabledPlan() throws {
    let file = try readConfiguration(
      fileWithSubscription(
        #""billingPlans":[{"billingPlanType":"BILLED_UPFRONT","displayPrice":"9","isEnabled":false}]"#))
    #expect(file.products.map(\.price) == [Milliunits(9000)])
    #expect(file.warnings.count == 1)
  }

  @Test("Settings that make no sense are warned of and leave the default")
  func settings() throws {
    let file = try readConfiguration(
      #"{"settings":{"_timeRate":"fast","_askToBuyEnabled":1,"_storeKitError":0.5,"_lastSynchronizedDate":"now","#
        + #""_compatibilityTimeRate":[],"_locale":{}}}"#)
    #expect(file.settings == .init())
    #expect(file.warnings.count == 5)
    #expect(file.warnings.contains("settings: _timeRate is not of the type it should be, and has no effect"))
    #expect(try readConfiguration(#"{"settings":[]}"#).warnings.count == 1)
  }

  @Test("Rates and simulated errors that are not known are kept, with a warning each; the store refuses a storefront")
  func unknownSettings() throws {
    let file = try readConfiguration(
      #"{"settings":{"_timeRate":14,"_storefront":"ATL","_storeKitErrors":[{"name":"Brew Tea","enabled":true},"#
        + #"{"enabled":true},7]}}"#)
    #expect(file.settings.timeRate == 14)
    #expect(file.settings.storefront == "ATL")
    #expect(file.settings.simulatedErrors == [.init(name: "Brew Tea", isEnabled: true)])
    #expect(
      file.warnings == [
        "settings: _timeRate 14 is not a rate known here",
        "settings._storeKitErrors[0]: \"Brew Tea\" is not a part of StoreKit that can be made to fail here",
        "settings._storeKitErrors[1]: an error without a name has no effect",
        "settings: _storeKitErrors[2] is not of the type it should be, and has no effect",
        "settings: the error of \"Brew Tea\" has no effect; use the control API",
      ])
  }
}
