import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Configuration files of every version", .timeLimit(.minutes(30)))
struct ConfigurationVersionTests {
  @Test("1.0: a file without identifier and without non-renewing subscriptions is read whole")
  func version1x0() throws {
    let file = try readConfiguration(ConfigurationFixtures.version1x0)
    #expect(file.version == .init(major: 1, minor: 0))
    #expect(file.identifier == nil)
    #expect(file.warnings.isEmpty)
    #expect(file.settings == .init())
    #expect(
      file.products == [
        ProductDefinition(
          productID: "org.quillworks.ink20", referenceName: "Ink, small", type: .consumable, price: Milliunits(990),
          internalID: "7A10B3C4",
          localizations: [.init(locale: "en_US", displayName: "Ink", description: "Twenty drops of ink")])
      ])
  }

  @Test("1.1: products come before non-renewing subscriptions, and the single legacy error is kept")
  func version1x1() throws {
    let file = try readConfiguration(ConfigurationFixtures.version1x1)
    #expect(file.identifier == "4D21AA07")
    #expect(file.products.map(\.productID) == ["org.quillworks.vellum", "org.quillworks.season"])
    #expect(file.products.map(\.type) == [.nonConsumable, .nonRenewingSubscription])
    #expect(file.products.map(\.price) == [Milliunits(29_000), Milliunits(14_500)])
    #expect(file.products.map(\.isFamilyShareable) == [true, false])
    #expect(file.settings.failTransactionsEnabled)
    #expect(file.settings.storeKitError == 2)
  }

  @Test("1.2: a subscription has its introductory offer, promotional offer and offer code, each with its terms")
  func version1x2() throws {
    let file = try readConfiguration(ConfigurationFixtures.version1x2)
    let product = try #require(file.products.first)
    let period = CalendarPeriod(value: 1, unit: .month)
    #expect(
      product.subscription
        == SubscriptionTerms(
          groupID: "51F0AB3E", groupLevel: 2, period: period,
          offers: [
            SubscriptionOffer(
              kind: .introductory, identifier: nil, paymentMode: .freeTrial,
              period: CalendarPeriod(value: 2, unit: .week), price: .zero),
            SubscriptionOffer(
              kind: .promotional, identifier: "comeback", paymentMode: .payAsYouGo, period: period,
              numberOfPeriods: 3, price: Milliunits(1490)),
            SubscriptionOffer(
              kind: .offerCode, identifier: "BOOKFAIR", paymentMode: .payUpFront,
              period: CalendarPeriod(value: 3, unit: .month), price: Milliunits(5990),
              eligibility: [.new, .expired]),
          ]))
    #expect(product.stackableOfferCodes == ["BOOKFAIR"])
    #expect(file.offersKey == .init(id: "K3Y00001", privateKey: ConfigurationFixtures.offersKey))
    #expect(file.settings.timeRate == 6)
    #expect(file.settings.locale == "en_GB")
    #expect(file.settings.storefront == "GBR")
    #expect(file.warnings.isEmpty)
  }

  @Test("2.0: a synced file has its app, team and date, and the simulated errors")
  func version2x0() throws {
    let file = try readConfiguration(ConfigurationFixtures.version2x0)
    let settings = file.settings
    #expect(settings.applicationInternalID == "6400000000")
    #expect(settings.developerTeamID == "QW12345678")
    #expect(settings.lastSynchronizedDate == StoreDate(millisecondsSince1970: 1_678_307_200_250))
    #expect(settings.timeRate == 1003)
    #expect(
      settings.simulatedErrors == [
        .init(name: "Load Products", isEnabled: true, type: "generic", index: 2),
        .init(name: "Purchase", isEnabled: false),
      ])
    #expect(file.products.map(\.internalID) == ["6400000001"])
    #expect(file.warnings == ["settings: the error of \"Load Products\" has no effect; use the control API"])
  }

  @Test("A1 3.0: a free subscription is an auto-renewable one with price 0")
  func version3x0() throws {
    let file = try readConfiguration(ConfigurationFixtures.version3x0)
    let free = try #require(file.products.first { $0.productID == "org.quillworks.library.free" })
    #expect(free.type == .autoRenewableSubscription)
    #expect(free.price == .zero)
    #expect(free.subscription?.offers == [])
    let group = try #require(file.subscriptionGroups.first)
    #expect(group.id == "21000001")
    #expect(group.name == "Library")
    #expect(group.localizations.map(\.displayName) == ["Library"])
    #expect(group.productIDs == ["org.quillworks.library.free", "org.quillworks.library.yearly"])
    #expect(file.products.map { $0.subscription?.groupLevel } == [2, 1])
  }

  @Test("3.0: the editor's five switches arrive each under its own name")
  func switches() throws {
    let settings = try readConfiguration(ConfigurationFixtures.version3x0).settings
    let all: [WritableKeyPath<StoreKitConfiguration.Settings, Bool>] = [
      \.askToBuyEnabled, \.billingIssuesEnabled, \.renewalBillingIssuesEnabled, \.billingGracePeriodEnabled,
      \.disableDialogs,
    ]
    for path in all { #expect(settings[keyPath: path]) }
    let keys = [
      "_askToBuyEnabled", "_billingIssuesEnabled", "_renewalBillingIssuesEnabled", "_billingGracePeriodEnabled",
      "_disableDialogs",
    ]
    for (key, path) in zip(keys, all) {
      var expected = StoreKitConfiguration.Settings()
      expected[keyPath: path] = true
      let file = try readConfiguration("{\"settings\":{\"\(key)\":true}}")
      #expect(file.settings == expected)
      // The store has a grace period, and says of the others that it does not obey them.
      let warns = file.warnings.map { $0.hasPrefix("settings: \(key) has no effect") }
      #expect(warns == (path == \.billingGracePeriodEnabled ? [] : [true]))
    }
  }

  @Test("4.0: win-back offers come with the editor's word on who is eligible; missing arrays are empty")
  func version4x0() throws {
    let file = try readConfiguration(ConfigurationFixtures.version4x0)
    let product = try #require(file.products.first)
    #expect(
      product.subscription?.offers == [
        SubscriptionOffer(
          kind: .winBack, identifier: "again", paymentMode: .payAsYouGo,
          period: CalendarPeriod(value: 3, unit: .month), numberOfPeriods: 2, price: Milliunits(500)),
        SubscriptionOffer(
          kind: .winBack, identifier: "gratis", paymentMode: .freeTrial,
          period: CalendarPeriod(value: 1, unit: .month), price: .zero),
      ])
    #expect(product.winBackEligibility == ["again": true, "gratis": false])
    #expect(file.warnings.isEmpty)
  }

  @Test("5.0: the plan billed up front sets the price and the offers; the monthly plan is warned of")
  func version5x0() throws {
    let file = try readConfiguration(ConfigurationFixtures.version5x0)
    let product = try #require(file.products.first)
    #expect(product.price == Milliunits(60_000))
    #expect(product.subscription?.offers.map(\.kind) == [.introductory, .promotional])
    #expect(product.subscription?.offers.map(\.price) == [.zero, Milliunits(30_000)])
    #expect(product.subscription?.offers.first?.period == CalendarPeriod(value: 3, unit: .day))
    let entry = "subscriptionGroups[0].subscriptions[0]"
    #expect(
      file.warnings == [
        "\(entry).billingPlans[0] (\"org.quillworks.bindery\", \"MONTHLY\"): "
          + "billing plan \"MONTHLY\" is not sold here; the subscription is billed up front",
        "\(entry).introductoryOffers[0] (\"org.quillworks.bindery\"): "
          + "an offer for billing plan \"MONTHLY\" is left out; subscriptions are billed up front here",
      ])
  }
}
