import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: products", .timeLimit(.minutes(30)))
struct ProductTests {
  @Test("each kind of product is described as in the catalog")
  func properties() async throws {
    let device = try await TestStore.club().clubDevice()
    let five = try await device.product(TestStore.five)
    let id: Product.ID = five.id
    #expect(id == TestStore.five && five.type == .consumable && five.displayName == "5 credits")
    #expect(five.description == "Five" && five.price == Decimal(string: "0.99") && five.displayPrice == "$0.99")
    #expect(!five.isFamilyShareable && five.subscription == nil)
    let sepia = try await device.product(TestStore.sepia)
    #expect(sepia.type == .nonConsumable && sepia.isFamilyShareable && sepia.subscription == nil)
    let season = try await device.product(TestStore.season)
    #expect(season.type == .nonRenewable && season.subscription == nil)
    let ten = try await device.product(TestStore.ten)
    #expect(ten.displayName.isEmpty && ten.description.isEmpty)
  }

  @Test("a subscription has its group, its period, its offers and one plan")
  func subscription() async throws {
    let device = try await TestStore.club().clubDevice()
    let product = try await device.product(TestStore.monthly)
    #expect(product.type == .autoRenewable)
    let info: Product.SubscriptionInfo = try #require(product.subscription)
    #expect(info.subscriptionGroupID == TestStore.group && info.subscriptionPeriod == .monthly)
    #expect(info.groupLevel == 1 && info.groupDisplayName == "The Club")
    let introductory: Product.SubscriptionOffer = try #require(info.introductoryOffer)
    #expect(introductory.id == nil && introductory.type == .introductory && introductory.paymentMode == .freeTrial)
    #expect(introductory.period == .weekly && introductory.periodCount == 1 && introductory.price == 0)
    let half = try #require(info.promotionalOffers.first)
    #expect(half.id == "half" && half.type == .promotional && half.paymentMode == .payAsYouGo)
    #expect(half.price == Decimal(string: "2.49") && half.displayPrice == "$2.49" && half.periodCount == 3)
    let back = try #require(info.winBackOffers.first)
    #expect(back.id == "back" && back.type == .winBack && back.paymentMode == .payUpFront)
    #expect(info.promotionalOffers.count == 1 && info.winBackOffers.count == 1, "offer codes are not listed")

    let terms: Product.SubscriptionInfo.PricingTerms = try #require(info.pricingTerms.first)
    #expect(info.pricingTerms.count == 1 && terms.billingPlanType == .upFront)
    #expect(terms.billingPrice == product.price && terms.billingDisplayPrice == product.displayPrice)
    let period: Product.SubscriptionInfo.BillingPeriod = terms.billingPeriod
    #expect(period == .monthly)
    let commitment: Product.SubscriptionInfo.CommitmentInfo = terms.commitmentInfo
    #expect(commitment.price == product.price && commitment.displayPrice == product.displayPrice)
    #expect(commitment.period == .monthly)
    #expect(terms.subscriptionOffers == [introductory, half, back])
    #expect(terms[offers: .promotional] == [half] && terms[offers: .winBack] == [back])
    let basic = try #require(try await device.product(TestStore.basic).subscription)
    #expect(basic.groupLevel == 2 && basic.introductoryOffer == nil && basic.subscriptionGroupID == TestStore.group)
  }

  @Test("duplicates and unknown ids are left out; without ids nothing is requested; a cancelled task gets nothing")
  func ids() async throws {
    let test = try await TestStore.club()
    let connection = ScriptedConnection(test.store)
    let device = try test.clubDevice(through: connection)
    let products = try await Product.products(
      for: [TestStore.five, "none", TestStore.five, TestStore.sepia], on: device)
    #expect(Set(products.map(\.id)) == [TestStore.five, TestStore.sepia] && products.count == 2)
    let calls = connection.sent.count
    #expect(try await Product.products(for: [], on: device).isEmpty)
    #expect(try await inCancelledTask { try await Product.products(for: [TestStore.five], on: device) }.isEmpty)
    #expect(connection.sent.count == calls)
  }

  @Test("products are equal if the store describes them equally, whichever device asked")
  func equality() async throws {
    let test = try await TestStore.club()
    let (one, two) = (try test.clubDevice(), try test.clubDevice())
    let product = try await one.product(TestStore.monthly)
    #expect(try await product == two.product(TestStore.monthly))
    #expect(try await product.hashValue == two.product(TestStore.monthly).hashValue)
    #expect(try await product.subscription == two.product(TestStore.monthly).subscription)
    var dearer = ProductChange()
    dearer.price = Milliunits(5_990)
    try await test.store.changeProduct(ProductID(TestStore.monthly), of: TestStore.bundleID, dearer)
    #expect(try await product != two.product(TestStore.monthly))
  }

  @Test("texts and prices follow the storefront of the customer")
  func storefront() async throws {
    let test = try await TestStore.club()
    try await test.store.addCustomer(
      Customer(environment: .sandbox, name: "bea", storefrontCountryCode: "DEU"))
    let device = try test.clubDevice()
    try await device.signIn(SignInCredentials(account: "bea"))
    let five = try await device.product(TestStore.five)
    #expect(five.displayName == "5 Punkte" && five.priceFormatStyle.currencyCode == "EUR")
    #expect(five.displayPrice.contains("€"))
    let monthly = try await device.product(TestStore.monthly)
    let period = try #require(monthly.subscription?.subscriptionPeriod)
    #expect(period.formatted(monthly.subscriptionPeriodFormatStyle) == "1 Monat")
    #expect(period.unit.formatted(monthly.subscriptionPeriodUnitFormatStyle) == "Monat")
  }

  @Test("the styles of a product write prices, periods and units")
  func formatStyles() async throws {
    let device = try await TestStore.club().clubDevice()
    let product = try await device.product(TestStore.monthly)
    #expect(product.price.formatted(product.priceFormatStyle) == "$4.99")
    let style = product.subscriptionPeriodFormatStyle
    #expect(SubscriptionPeriod.everyThreeMonths.formatted(style) == "3 months")
    #expect(
      SubscriptionPeriod.yearly.formatted(style) == "1 year" && SubscriptionPeriod.weekly.formatted(style) == "1 week")
    #expect(SubscriptionPeriod.everyThreeDays.formatted(style.locale(Locale(identifier: "fr_FR"))) == "3 jours")
    #expect(SubscriptionPeriod.Unit.year.formatted(product.subscriptionPeriodUnitFormatStyle) == "year")
  }

  @Test("the JSON has the shape of Xcode's")
  func json() async throws {
    let device = try await TestStore.club().clubDevice()
    let product = try await device.product(TestStore.monthly)
    let object = try #require(
      try JSONSerialization.jsonObject(with: product.jsonRepresentation) as? [String: Any])
    #expect(object["id"] as? String == "6900000006" && object["type"] as? String == "in-apps")
    #expect(object["href"] as? String == "/v1/catalog/usa/in-apps/6900000006")
    let attributes = try #require(object["attributes"] as? [String: Any])
    #expect(attributes["offerName"] as? String == TestStore.monthly && attributes["name"] as? String == "Member")
    #expect((attributes["description"] as? [String: Any])?["standard"] as? String == "Everything")
    #expect(attributes["kind"] as? String == "Auto-Renewable Subscription")
    #expect(attributes["icuLocale"] as? String == "en_US@currency=USD")
    #expect(attributes["isFamilyShareable"] as? Int == 1)
    #expect(attributes["subscriptionFamilyId"] as? String == TestStore.group)
    #expect(attributes["subscriptionFamilyName"] as? String == "The Club")
    #expect(attributes["subscriptionFamilyRank"] as? Int == 1)
    let offer = try #require((attributes["offers"] as? [[String: Any]])?.first)
    #expect(offer["currencyCode"] as? String == "USD" && offer["price"] as? String == "4.99")
    #expect(offer["priceFormatted"] as? String == "$4.99")
    #expect(offer["recurringSubscriptionPeriod"] as? String == "P1M")
    let discounts = try #require(offer["discounts"] as? [[String: Any]])
    #expect(discounts.compactMap { $0["type"] as? String } == ["IntroOffer", "AdhocOffer", "WinBackOffer"])
    #expect(discounts.compactMap { $0["modeType"] as? String } == ["FreeTrial", "PayAsYouGo", "PayUpFront"])
    #expect(discounts.compactMap { $0["numOfPeriods"] as? Int } == [1, 3, 1])
    let five = try await device.product(TestStore.five)
    let text = five.debugDescription
    #expect(text == String(decoding: five.jsonRepresentation, as: UTF8.self))
    #expect(!text.contains("subscriptionFamily") && !text.contains("discounts"))
  }

  @Test("a store that cannot be reached is an error of the network; without a device, the error says what to set")
  func errors() async throws {
    let test = try await TestStore.club()
    let connection = ScriptedConnection(test.store)
    connection.cutOff(.products)
    let device = try test.clubDevice(through: connection)
    do {
      _ = try await Product.products(for: [TestStore.five], on: device)
      Issue.record("products were loaded without a store")
    } catch StoreKitError.networkError {}
  }

  @Test("what the customer has of a product, as the product shows it")
  func transactions() async throws {
    let device = try await TestStore.club().clubDevice()
    let sepia = try await device.product(TestStore.sepia)
    #expect(await sepia.latestTransaction == nil)
    #expect(await sepia.currentEntitlement == nil)
    let bought = try await device.purchase(TestStore.sepia)
    #expect(await sepia.latestTransaction?.verifiedID == bought.id)
    #expect(await sepia.currentEntitlement?.verifiedID == bought.id)
    var entitlements = sepia.currentEntitlements.makeAsyncIterator()
    #expect(await entitlements.next()?.verifiedID == bought.id)
    #expect(await entitlements.next() == nil)
    let greyscale = try await device.product(TestStore.greyscale)
    #expect(await greyscale.currentEntitlement == nil)
  }

  @Test("a subscription shows its status, and whether the introductory offer is possible")
  func subscriptionState() async throws {
    let device = try await TestStore.club().clubDevice()
    let info = try #require(try await device.product(TestStore.monthly).subscription)
    #expect(await info.isEligibleForIntroOffer)
    #expect(try await info.status.isEmpty)
    try await device.purchase(TestStore.monthly)
    _ = await device.refresh()
    #expect(await info.isEligibleForIntroOffer == false)
    #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: TestStore.group, on: device) == false)
    #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "another group", on: device))
    #expect(try await info.status.map(\.state) == [.subscribed])
  }

  @Test("the store of a group lists its products, the highest level first")
  func subscriptionStore() async throws {
    let device = try await TestStore.club().clubDevice()
    #expect(
      try await device.subscriptionStore(group: TestStore.group).map(\.id) == [TestStore.monthly, TestStore.basic])
    #expect(try await device.subscriptionStore(group: "another group").isEmpty)
  }
}
