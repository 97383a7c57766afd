import Crypto
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests promotional offers, offer codes and win-back offers.
@Suite("Offers of subscriptions", .timeLimit(.minutes(30)))
struct OfferTests {
  /// A shop with a club that has an offer of each kind.
  private struct Club {
    static let key = P256.Signing.PrivateKey()
    static let gold: ProductID = "org.example.teahouse.gold"
    static let silver: ProductID = "org.example.teahouse.silver"

    let shop: TeaShop
    let phone: Phone

    init(winBack isEligible: Bool? = nil) async throws {
      shop = try await TeaShop()
      func offer(
        _ kind: SubscriptionOffer.Kind, _ id: String, _ price: Int64,
        _ eligibility: [SubscriptionOffer.Eligibility] = []
      ) -> SubscriptionOffer {
        SubscriptionOffer(
          kind: kind, identifier: id, paymentMode: .payAsYouGo, period: CalendarPeriod(value: 1, unit: .month),
          numberOfPeriods: 2, price: Milliunits(price), eligibility: eligibility)
      }
      func plan(_ id: ProductID, level: Int, price: Int64, _ offers: [SubscriptionOffer]) -> ProductDefinition {
        ProductDefinition(
          productID: id, type: .autoRenewableSubscription, price: Milliunits(price),
          subscription: SubscriptionTerms(
            groupID: "club", groupLevel: level, period: CalendarPeriod(value: 1, unit: .month), offers: offers),
          winBackEligibility: isEligible.map { ["back": $0] } ?? [:])
      }
      let offers = [
        offer(.promotional, "half", 5_000), offer(.promotional, "dear", 10_000),
        offer(.offerCode, "WELCOME", 1_000, [.new]), offer(.offerCode, "THANKS", 2_000, [.existing]),
        offer(.offerCode, "MISSED", 3_000, [.expired]), offer(.winBack, "back", 4_000),
      ]
      let offersKey = StoreKitConfiguration.OffersKey(id: "KEY1", privateKey: Self.key.derRepresentation)
      let file = StoreKitConfiguration(
        identifier: nil, version: .newest,
        products: TeaShop.catalog() + [
          plan(Self.gold, level: 1, price: 10_000, offers), plan(Self.silver, level: 2, price: 6_000, offers),
        ], subscriptionGroups: [], offersKey: offersKey, settings: StoreKitConfiguration.Settings(), warnings: [])
      try await shop.store.serve(TeaShop.app, catalog: [file])
      phone = try await shop.phone()
    }

    func advance(days: Int64) async throws {
      try await shop.store.changeClock(.advance(milliseconds: days * 86_400_000))
    }

    /// Subscribes to gold, and lets the subscription expire.
    func lapse() async throws {
      let first = try #require(try await shop.buy(Self.gold, as: "first", on: phone).deliveries.first).signed
      try await shop.store.setAutoRenew(ofSubscription: first.transactionID, isOn: false)
      try await advance(days: 40)
    }

    /// A payment with a signed promotional offer.
    ///
    /// - Parameter change: changes the signed content, so that the signature is not that of the payment.
    func payment(
      _ offerID: String = "half", as id: PaymentID, of product: ProductID = gold, nonce: UUID = UUID(),
      age: Int64 = 0, username: String? = nil, keyID: String = "KEY1", signedUsername: String? = nil,
      key: P256.Signing.PrivateKey = key
    ) throws -> PaymentRequest {
      let timestamp = shop.clock.now.millisecondsSince1970 - age
      let content = PromotionalOfferContent(
        bundleID: TeaShop.app.rawValue, keyID: keyID, productID: product.rawValue, offerID: offerID,
        applicationUsername: signedUsername ?? username ?? "", nonce: nonce.uuidString, timestamp: timestamp)
      return PaymentRequest(
        paymentID: id, productID: product, applicationUsername: username,
        offer: PaymentOffer(
          kind: .promotional, identifier: offerID,
          signature: OfferSignature(
            keyID: keyID, nonce: nonce.uuidString, timestamp: timestamp, signature: try content.signature(with: key))))
    }

    /// The `SKError` code with which the store refuses to quote a payment; nil if it quotes it.
    func errorCode(_ payment: PaymentRequest) async throws -> Int? {
      do {
        _ = try await shop.store.quote(payment, for: phone.id)
        return nil
      } catch let refusal as StoreRefusal {
        #expect(refusal.code == .offerNotAvailable && refusal.endsPayment)
        return refusal.appError?.code
      }
    }

    /// Redeems an offer in the App Store.
    @discardableResult
    func redeem(
      _ kind: SubscriptionOffer.Kind, _ id: String, _ product: ProductID = gold
    ) async throws -> StoredTransaction {
      try await shop.store.purchase(
        product, of: TeaShop.app, for: TeaShop.customer, in: .sandbox, offer: PaymentOffer(kind: kind, identifier: id))
    }

    func subscription() async throws -> RenewalRecord {
      try #require(try await shop.store.subscriptions(of: TeaShop.customer, in: .sandbox).first)
    }
  }

  @Test("A1 a promotional offer with a valid signature brings a lapsed customer back at the offer's price")
  func promotional() async throws {
    let club = try await Club()
    try await club.lapse()
    let quote = try await club.shop.store.quote(try club.payment(as: "2"), for: club.phone.id)
    #expect(quote.total.amount == Milliunits(5_000) && quote.unitPrice.amount == Milliunits(10_000))
    #expect(quote.plan?.offer?.identifier == "half" && quote.hasConsistentTotal)
    let signed = try #require(try await club.shop.store.confirm(quote, for: club.phone.id).purchase().deliveries.first)
      .signed
    #expect(signed.offerType == .promotional && signed.offerIdentifier == "half")
    try await club.advance(days: 65)
    #expect(
      try await club.shop.store.charges().map(\.amount.rawValue) == [10_000, 5_000, 5_000, 10_000],
      "newest first: two periods at the offer's price, and then the regular one")
  }

  @Test("A1 a promotional offer of the current plan begins with the next period, and nothing is charged now")
  func promotionalForCurrentPlan() async throws {
    let club = try await Club()
    let first = try #require(try await club.shop.buy(Club.gold, as: "1", on: club.phone).deliveries.first).signed
    let quote = try await club.shop.store.quote(try club.payment(as: "2"), for: club.phone.id)
    #expect(quote.total.amount == .zero && quote.plan?.startDate == first.expiresDate && quote.hasConsistentTotal)
    let answer = try #require(
      try await club.shop.store.confirm(quote, for: club.phone.id).purchase().deliveries.first)
    #expect(try answer.signed.transactionID == first.transactionID && answer.redelivery != nil)
    #expect(try await club.shop.store.charges().count == 1)
    #expect(try await club.subscription().renewalOffer?.identifier == "half")
    try await club.advance(days: 32)
    #expect(try await club.shop.store.charges().map(\.amount.rawValue) == [5_000, 10_000])
  }

  @Test("A1 an offer costs what the app shows in the customer's currency, also after a move to another storefront")
  func foreignStorefront() async throws {
    let club = try await Club()
    try await club.shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "JPN" }
    try await club.redeem(.offerCode, "WELCOME")
    #expect(try await club.shop.newestTransaction().record.price == Milliunits(150_000))
    #expect(try await club.shop.newestTransaction().record.currency == "JPY")
    try await club.shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "USA" }
    try await club.advance(days: 65)
    let newest = try await club.shop.store.transactions().prefix(2).map(\.record)
    #expect(newest.map(\.price.rawValue) == [10_000, 1_000] && newest.map(\.currency) == ["USD", "USD"])
  }

  @Test("A1 an upgrade with a promotional offer is charged the offer's price at once")
  func promotionalUpgrade() async throws {
    let club = try await Club()
    try await club.shop.buy(Club.silver, as: "1", on: club.phone)
    let quote = try await club.shop.store.quote(try club.payment(as: "2"), for: club.phone.id)
    #expect(quote.total.amount == Milliunits(5_000) && quote.plan?.startDate == nil)
    _ = try await club.shop.store.confirm(quote, for: club.phone.id).purchase()
    let details = try await club.subscription()
    #expect(details.productID == Club.gold && details.renewalOffer?.identifier == "half")
    #expect(try await club.shop.store.charges().map(\.amount.rawValue) == [5_000, 6_000])
  }

  @Test("A1 a promotional offer is refused if its signature is not of this payment, too old, or of another key")
  func signatures() async throws {
    let club = try await Club()
    try await club.lapse()
    #expect(try await club.errorCode(try club.payment(as: "a", username: "ann")) == nil)
    #expect(try await club.errorCode(try club.payment(as: "a", username: "ann", signedUsername: "bob")) == 12)
    #expect(try await club.errorCode(try club.payment(as: "a", username: "Ann", signedUsername: "ann")) == nil)
    #expect(try await club.errorCode(try club.payment(as: "b", keyID: "KEY2")) == 12)
    #expect(try await club.errorCode(try club.payment(as: "c", key: P256.Signing.PrivateKey())) == 12)
    #expect(try await club.errorCode(try club.payment(as: "d", age: 86_400_000)) == nil)
    #expect(try await club.errorCode(try club.payment(as: "d", age: 86_400_001)) == 12)
    #expect(try await club.errorCode(try club.payment("none", as: "e")) == 11)
    #expect(try await club.errorCode(try club.payment("dear", as: "f")) == 14)
    let unsigned = PaymentRequest(
      paymentID: "g", productID: Club.gold, offer: PaymentOffer(kind: .promotional, identifier: "half"))
    #expect(try await club.errorCode(unsigned) == 13)
    #expect(try await club.errorCode(try club.payment(as: "h", of: TeaShop.oolong)) == 11)
    #expect(try await club.shop.store.charges().count == 1)
  }

  @Test("A1 a promotional offer is for customers who subscribed before, and its nonce is accepted once")
  func eligibility() async throws {
    let club = try await Club()
    #expect(try await club.errorCode(try club.payment(as: "a")) == 18)
    try await club.lapse()
    let nonce = UUID()
    let quote = try await club.shop.store.quote(try club.payment(as: "b", nonce: nonce), for: club.phone.id)
    let bought = try await club.shop.store.confirm(quote, for: club.phone.id).purchase()
    // A repeated confirmation is answered, but another payment needs another signature.
    let again = try await club.shop.store.confirm(quote, for: club.phone.id).purchase()
    #expect(try again.deliveries.first?.signed.transactionID == bought.deliveries.first?.signed.transactionID)
    #expect(try await club.errorCode(try club.payment(as: "c", nonce: nonce)) == 12)
    #expect(try await club.errorCode(try club.payment(as: "c")) == nil)
  }

  @Test("A1 a payment that the card declines may be sent again with the same signature")
  func declined() async throws {
    let club = try await Club()
    try await club.lapse()
    let nonce = UUID()
    try await club.shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    let quote = try await club.shop.store.quote(try club.payment(as: "b", nonce: nonce), for: club.phone.id)
    #expect(
      try await refusal { _ = try await club.shop.store.confirm(quote, for: club.phone.id) } == .paymentDeclined)
    #expect(try await club.errorCode(try club.payment(as: "c", nonce: nonce)) == nil)
  }

  @Test(
    "A1 while a payment waits for approval its signature is used; once it is declined or late, another may use it",
    arguments: ["declined", "late"])
  func notApproved(how: String) async throws {
    let club = try await Club()
    try await club.lapse()
    try await club.shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    let nonce = UUID()
    let quote = try await club.shop.store.quote(try club.payment(as: "b", nonce: nonce), for: club.phone.id)
    _ = try await club.shop.store.confirm(quote, for: club.phone.id)
    #expect(try await club.errorCode(try club.payment(as: "c", nonce: nonce)) == 12)
    if how == "declined" {
      _ = try await club.shop.store.decideApproval(of: "b", on: club.phone.id, isApproved: false)
    } else {
      try await club.advance(days: 2)
    }
    #expect(try await club.errorCode(try club.payment(as: "c", nonce: nonce)) == nil)
    #expect(try await club.shop.store.charges().count == 1)
  }

  @Test(
    "A1 a payment whose product is owned meanwhile is redelivered without the offer, and its signature stays unused")
  func redelivered() async throws {
    let club = try await Club()
    try await club.lapse()
    let nonce = UUID()
    let quote = try await club.shop.store.quote(try club.payment(as: "b", nonce: nonce), for: club.phone.id)
    try await club.shop.buy(Club.gold, as: "other", on: club.phone)
    let answer = try await club.shop.store.confirm(quote, for: club.phone.id).purchase()
    #expect(answer.deliveries.first?.redelivery != nil)
    #expect(try await club.errorCode(try club.payment(as: "c", nonce: nonce)) == nil)
  }

  @Test("A1 an interrupted purchase keeps its signature used, until it is given up or bought")
  func interrupted() async throws {
    let club = try await Club()
    try await club.lapse()
    let (store, nonce) = (club.shop.store, UUID())
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .needsAttention }
    let quote = try await store.quote(try club.payment(as: "b", nonce: nonce), for: club.phone.id)
    #expect(try await refusal { _ = try await store.confirm(quote, for: club.phone.id) } == .purchaseInterrupted)
    #expect(try await club.errorCode(try club.payment(as: "c", nonce: nonce)) == 12)
    try await store.changeProduct(Club.gold, of: TeaShop.app, ProductChange(isOnSale: false))
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    try await store.changeProduct(Club.gold, of: TeaShop.app, ProductChange(isOnSale: true))
    #expect(try await store.charges().count == 1)
    #expect(try await club.errorCode(try club.payment(as: "c", nonce: nonce)) == nil)
  }

  @Test("A1 an offer whose signature expires while the payment waits for approval is charged as confirmed")
  func approvedLater() async throws {
    let club = try await Club()
    try await club.lapse()
    try await club.shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    let payment = try club.payment(as: "b", age: 80_000_000)
    let quote = try await club.shop.store.quote(payment, for: club.phone.id)
    _ = try await club.shop.store.confirm(quote, for: club.phone.id)
    club.shop.clock.advance(seconds: 20_000)
    let stored = try await club.shop.store.decideApproval(of: "b", on: club.phone.id, isApproved: true)
    #expect(stored?.record.offerIdentifier == "half" && stored?.record.price == Milliunits(5_000))
  }

  @Test(
    "A1 an offer code is for the customers that it names, once for each customer",
    arguments: ["WELCOME", "THANKS", "MISSED"])
  func codes(name: String) async throws {
    for (situation, suitable) in [("new", "WELCOME"), ("active", "THANKS"), ("lapsed", "MISSED")] {
      let club = try await Club()
      if situation == "active" { try await club.shop.buy(Club.gold, as: "1", on: club.phone) }
      if situation == "lapsed" { try await club.lapse() }
      guard name == suitable else {
        let code = try await refusal { _ = try await club.redeem(.offerCode, name) }
        #expect(code == .offerNotAvailable, "\(name) for a customer who is \(situation)")
        continue
      }
      let stored = try await club.redeem(.offerCode, name)
      if situation == "active" { try await club.advance(days: 32) }
      let newest = try await club.shop.newestTransaction().record
      #expect(newest.offerType == .offerCode && newest.offerIdentifier == name)
      #expect(situation == "active" || stored.record == newest)
      // The customer's other devices receive it as a purchase that was made outside the app.
      if situation != "active" {
        let code = try await refusal { _ = try await club.redeem(.offerCode, name) }
        #expect(code == .offerNotAvailable)
      }
    }
  }

  @Test(
    "A1 a win-back offer is for customers whose subscription has lapsed, unless the file says otherwise",
    arguments: [nil, true, false])
  func winBack(isEligible: Bool?) async throws {
    let club = try await Club(winBack: isEligible)
    #expect(try await refusal { _ = try await club.redeem(.winBack, "back") } == .offerNotAvailable)
    try await club.lapse()
    let code = try await refusal { _ = try await club.redeem(.winBack, "back") }
    #expect(code == (isEligible == false ? .offerNotAvailable : nil))
    let charges = try await club.shop.store.charges().map(\.amount.rawValue)
    #expect(charges == (isEligible == false ? [10_000] : [4_000, 10_000]))
    // Someone who is subscribed is not won back.
    if isEligible != false {
      #expect(try await refusal { _ = try await club.redeem(.winBack, "back") } == .offerNotAvailable)
    }
  }

  @Test(
    "A1 an offer that was read from a .storekit file of any version is quoted, charged and counted", arguments: files)
  private func versions(file: OfferFile) async throws {
    let shop = try await TeaShop()
    try await shop.store.serve(TeaShop.app, catalog: [try readConfiguration(file.text)])
    let phone = try await shop.phone()
    if file.kind == .promotional || file.kind == .winBack {
      let first = try await shop.store.purchase("club", of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      try await shop.store.setAutoRenew(ofSubscription: first.record.transactionID, isOn: false)
      try await shop.store.changeClock(.advance(milliseconds: 40 * 86_400_000))
    }
    if file.kind == .introductory {
      let quote = try await shop.quote("club", as: "1", on: phone)
      #expect(quote.plan?.offer?.paymentMode == file.mode && quote.total.amount.rawValue == file.price)
      try await shop.buy("club", as: "1", on: phone)
    } else {
      _ = try await shop.store.purchase(
        "club", of: TeaShop.app, for: TeaShop.customer, in: .sandbox,
        offer: PaymentOffer(kind: file.kind, identifier: "offer"))
    }
    try await shop.store.changeClock(.advance(milliseconds: 100 * 86_400_000))
    let prices = try await shop.store.transactions().filter { $0.record.offerType != nil }.map(\.record.price.rawValue)
    #expect(prices == Array(repeating: file.price, count: file.mode == .payAsYouGo ? 3 : 1))
  }

  /// A configuration file with one offer.
  private struct OfferFile: CustomTestStringConvertible, Sendable {
    let version: String
    let kind: SubscriptionOffer.Kind
    let mode: SubscriptionOffer.PaymentMode

    var price: Int64 { mode == .freeTrial ? 0 : 500 }
    var testDescription: String { "\(version) \(kind) \(mode)" }

    var text: String {
      let words = [
        SubscriptionOffer.PaymentMode.freeTrial: "free", .payAsYouGo: "payAsYouGo", .payUpFront: "payUpFront",
      ]
      let paid = mode == .freeTrial ? "" : #","displayPrice":"0.50""#
      let periods = mode == .payAsYouGo ? #","numberOfPeriods":3"# : ""
      let plan = version == "5.0" ? #","billingPlanType":"BILLED_UPFRONT""# : ""
      let offer =
        #"{"internalID":"A1","paymentMode":"\#(words[mode]!)","subscriptionPeriod":"P1M"\#(paid)\#(periods)\#(plan)"#
      let numbers = version.split(separator: ".")
      let member =
        switch kind {
        case .introductory:
          version == "5.0" ? #""introductoryOffers":[\#(offer)}]"# : #""introductoryOffer":\#(offer)}"#
        case .promotional: #""adHocOffers":[\#(offer),"offerID":"offer"}]"#
        case .offerCode:
          #""codeOffers":[\#(offer),"referenceName":"offer","eligibility":["new","existing","expired"],"isStackable":false}]"#
        case .winBack: #""winbackOffers":[\#(offer),"offerID":"offer","isEligible":true}]"#
        }
      let file = fileWithSubscription(member)
      return #"{"version":{"major":\#(numbers[0]),"minor":\#(numbers[1])},"# + file.dropFirst()
    }
  }

  /// Every kind of offer that a version of the format has, with every way to pay.
  private static let files: [OfferFile] = ["1.0", "1.1", "1.2", "2.0", "3.0", "4.0", "5.0"].flatMap { version in
    SubscriptionOffer.Kind.allCases.filter {
      switch $0 {
      case .introductory, .promotional: true
      case .offerCode: version >= "1.1"
      case .winBack: version >= "4.0"
      }
    }.flatMap { kind in
      [SubscriptionOffer.PaymentMode.freeTrial, .payAsYouGo, .payUpFront].map {
        OfferFile(version: version, kind: kind, mode: $0)
      }
    }
  }
}
