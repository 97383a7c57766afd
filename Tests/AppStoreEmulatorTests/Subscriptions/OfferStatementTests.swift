import Crypto
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Signatures of the developer as compact JWS: promotional offers, and whether a customer may have the introductory offer.
@Suite("Offers that the developer signs as a JWS", .timeLimit(.minutes(30)))
struct OfferStatementTests {
  private static let key = P256.Signing.PrivateKey()
  private static let gold: ProductID = "org.example.teahouse.gold"

  /// A shop with a plan that has an introductory and a promotional offer.
  private struct Club {
    let shop: TeaShop
    let phone: Phone

    init() async throws {
      shop = try await TeaShop()
      let month = CalendarPeriod(value: 1, unit: .month)
      let plan = ProductDefinition(
        productID: gold, type: .autoRenewableSubscription, price: Milliunits(10_000),
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: 1, period: month,
          offers: [
            SubscriptionOffer(
              kind: .introductory, identifier: nil, paymentMode: .payUpFront, period: month, price: Milliunits(1_000)),
            SubscriptionOffer(
              kind: .promotional, identifier: "half", paymentMode: .payUpFront, period: month,
              price: Milliunits(5_000)),
          ]))
      let file = StoreKitConfiguration(
        identifier: nil, version: .newest, products: TeaShop.catalog() + [plan], subscriptionGroups: [],
        offersKey: StoreKitConfiguration.OffersKey(id: "KEY1", privateKey: key.derRepresentation),
        settings: StoreKitConfiguration.Settings(), warnings: [])
      try await shop.store.serve(TeaShop.app, catalog: [file])
      phone = try await shop.phone()
    }

    /// A transaction of the customer: a consumable.
    func transaction() async throws -> TransactionID {
      try await shop.order(TeaShop.oolong).record.transactionID
    }

    func advance(days: Int64) async throws {
      try await shop.store.changeClock(.advance(milliseconds: days * 86_400_000))
    }

    /// Buys gold, and lets it expire.
    func lapse() async throws {
      let first = try #require(try await shop.buy(gold, as: "first", on: phone).deliveries.first).signed
      try await shop.store.setAutoRenew(ofSubscription: first.transactionID, isOn: false)
      try await advance(days: 40)
    }

    /// The date of the machine's clock, which developers' servers have. It is not that of the store.
    var wallDate: StoreDate { shop.clock.now }

    func token(
      _ purpose: OfferToken.Purpose, customer: TransactionID? = nil, product: ProductID = gold,
      app: BundleID = TeaShop.app, keyID: String = "KEY1", issuer: String = "any", nonce: UUID = UUID(),
      secondsBack: Int64 = 0
    ) -> OfferToken {
      OfferToken(
        keyID: keyID, issuerID: issuer, bundleID: app, productID: product, purpose: purpose, transactionID: customer,
        nonce: nonce, issueDate: wallDate.wholeSeconds.adding(seconds: -secondsBack))
    }

    func promotional(_ id: PaymentID, _ token: OfferToken, key: P256.Signing.PrivateKey = key) throws -> PaymentRequest
    {
      PaymentRequest(
        paymentID: id, productID: gold,
        offer: PaymentOffer(kind: .promotional, identifier: "half", compactJWS: try token.compactJWS(with: key)))
    }

    func introductory(
      _ id: PaymentID, _ isAllowed: Bool, customer: TransactionID, nonce: UUID = UUID()
    ) throws -> PaymentRequest {
      let token = token(.introductoryOffer(isAllowed: isAllowed), customer: customer, nonce: nonce)
      return PaymentRequest(
        paymentID: id, productID: gold, introductoryEligibility: try token.compactJWS(with: key))
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

    func buy(_ payment: PaymentRequest) async throws -> SignedTransaction {
      let quote = try await shop.store.quote(payment, for: phone.id)
      return try #require(try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.first).signed
    }
  }

  private let half = OfferToken.Purpose.promotionalOffer(identifier: "half")

  @Test("A1 a promotional offer with a valid JWS is bought at its price, for any customer or for the named one")
  func promotional() async throws {
    for isNamed in [false, true] {
      let club = try await Club()
      try await club.lapse()
      let customer = isNamed ? try await club.transaction() : nil
      let signed = try await club.buy(try club.promotional("2", club.token(half, customer: customer)))
      #expect(signed.offerIdentifier == "half" && signed.price == Milliunits(5_000))
    }
  }

  @Test("A1 keys of the App Store Server API sign offers, too, with the issuer of the app")
  func keys() async throws {
    let club = try await Club()
    try await club.lapse()
    let store = club.shop.store
    let issuer = try await store.app(TeaShop.app).issuerID
    let builtIn = try P256.Signing.PrivateKey(pemRepresentation: store.authority.apiKey())
    let builtInID = try store.authority.apiKeyID()
    let added = try await store.addAPIKey(for: TeaShop.app)
    let addedKey = try P256.Signing.PrivateKey(pemRepresentation: added.privateKey)
    for (id, key) in [(builtInID, builtIn), (added.key.keyID, addedKey)] {
      let own = club.token(half, keyID: id, issuer: issuer)
      #expect(try await club.errorCode(try club.promotional("a", own, key: key)) == nil)
      #expect(try await club.errorCode(try club.promotional("a", club.token(half, keyID: id), key: key)) == 12)
      #expect(try await club.errorCode(try club.promotional("a", own)) == 12, "signed with another key")
    }
    try await store.serve("org.example.other", catalog: [TeaShop.file(TeaShop.catalog())])
    let other = try await store.addAPIKey(for: "org.example.other")
    let foreign = club.token(half, keyID: other.key.keyID, issuer: try await store.app("org.example.other").issuerID)
    let foreignKey = try P256.Signing.PrivateKey(pemRepresentation: other.privateKey)
    #expect(try await club.errorCode(try club.promotional("a", foreign, key: foreignKey)) == 12)
  }

  @Test("A1 a JWS is refused if it is of another key, app, product, offer, purpose or customer, or too old or too new")
  func refused() async throws {
    let club = try await Club()
    try await club.lapse()
    let own = try await club.transaction()
    try await club.shop.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let adas = try await club.shop.order(TeaShop.oolong, for: "ada").record
    let newest = try await club.shop.newest(Self.gold).record
    let app = try #require(TransactionID(rawValue: newest.appTransactionID))
    for token in [
      club.token(half), club.token(half, customer: own), club.token(half, customer: app),
      club.token(half, secondsBack: 86_390), club.token(half, secondsBack: -86_390),
    ] {
      #expect(try await club.errorCode(try club.promotional("a", token)) == nil, "\(token)")
    }
    for token in [
      club.token(half, keyID: "KEY2"), club.token(half, app: "org.example.other"),
      club.token(half, product: TeaShop.oolong), club.token(.promotionalOffer(identifier: "free")),
      club.token(.introductoryOffer(isAllowed: true), customer: own), club.token(half, customer: adas.transactionID),
      club.token(half, customer: TransactionID(rawValue: adas.appTransactionID)),
      club.token(half, customer: TransactionID(7)), club.token(half, secondsBack: 86_410),
      club.token(half, secondsBack: -86_410),
    ] {
      #expect(try await club.errorCode(try club.promotional("a", token)) == 12, "\(token)")
    }
    let other = P256.Signing.PrivateKey()
    #expect(try await club.errorCode(try club.promotional("a", club.token(half), key: other)) == 12)
    for text in ["", "a.b.c"] {
      let offer = PaymentOffer(kind: .promotional, identifier: "half", compactJWS: text)
      #expect(try await club.errorCode(PaymentRequest(paymentID: "a", productID: Self.gold, offer: offer)) == 12)
    }
    #expect(try await club.shop.store.charges().filter { $0.productID == Self.gold }.count == 1)
  }

  @Test("A1 a nonce is accepted for one purchase, in whichever of the two statements it is")
  func nonces() async throws {
    let club = try await Club()
    try await club.lapse()
    let (nonce, customer) = (UUID(), try await club.transaction())
    let quote = try await club.shop.store.quote(
      try club.promotional("2", club.token(half, nonce: nonce)), for: club.phone.id)
    _ = try await club.shop.store.confirm(quote, for: club.phone.id).purchase()
    // A repeated confirmation gets the same answer.
    _ = try await club.shop.store.confirm(quote, for: club.phone.id).purchase()
    #expect(try await club.errorCode(try club.promotional("3", club.token(half, nonce: nonce))) == 12)
    #expect(try await club.errorCode(try club.introductory("4", true, customer: customer, nonce: nonce)) == 12)
    #expect(try await club.errorCode(try club.promotional("5", club.token(half))) == nil)
  }

  @Test("A1 a payment that the card declines may be sent again with the same statements")
  func declined() async throws {
    let club = try await Club()
    let (nonce, customer) = (UUID(), try await club.transaction())
    try await club.shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    let payment = try club.introductory("a", true, customer: customer, nonce: nonce)
    let quote = try await club.shop.store.quote(payment, for: club.phone.id)
    #expect(
      try await refusal { _ = try await club.shop.store.confirm(quote, for: club.phone.id) } == .paymentDeclined)
    #expect(try await club.errorCode(try club.introductory("b", true, customer: customer, nonce: nonce)) == nil)
  }

  @Test("A1 the developer's statement decides about the introductory offer, and not the customer's history")
  func introductory() async throws {
    let club = try await Club()
    let customer = try await club.transaction()
    // A new customer would have it.
    let first = try await club.buy(try club.introductory("1", false, customer: customer))
    #expect(first.offerType == nil && first.price == Milliunits(10_000))
    try await club.shop.store.setAutoRenew(ofSubscription: first.transactionID, isOn: false)
    try await club.advance(days: 40)
    let second = try await club.buy(try club.introductory("2", true, customer: customer))
    #expect(second.offerType == .introductory && second.price == Milliunits(1_000))
    try await club.shop.store.setAutoRenew(ofSubscription: first.transactionID, isOn: false)
    try await club.advance(days: 40)
    // Without a statement, the history decides: the customer has had it.
    let quote = try await club.shop.store.quote(
      PaymentRequest(paymentID: "3", productID: Self.gold), for: club.phone.id)
    #expect(quote.plan?.offer == nil)
    let third = try await club.buy(try club.introductory("4", true, customer: customer))
    #expect(third.offerType == .introductory)
  }

  @Test("A1 a statement about the introductory offer must be genuine, for the customer, and of this purpose")
  func refusedStatements() async throws {
    let club = try await Club()
    let customer = try await club.transaction()
    func errorCode(_ token: OfferToken, key: P256.Signing.PrivateKey = Self.key) async throws -> Int? {
      let payment = PaymentRequest(
        paymentID: "a", productID: Self.gold, introductoryEligibility: try token.compactJWS(with: key))
      return try await club.errorCode(payment)
    }
    let allowed = OfferToken.Purpose.introductoryOffer(isAllowed: true)
    #expect(try await errorCode(club.token(allowed, customer: customer)) == nil)
    #expect(try await errorCode(club.token(allowed, customer: customer), key: P256.Signing.PrivateKey()) == 12)
    #expect(try await errorCode(club.token(allowed, customer: TransactionID(7))) == 12)
    #expect(try await errorCode(club.token(allowed)) == 12, "it names no customer")
    #expect(try await errorCode(club.token(half, customer: customer)) == 12)
  }

  @Test("A1 an interrupted purchase, and one that waits for approval, keep the introductory offer of their statement")
  func later() async throws {
    let club = try await Club()
    let (store, customer) = (club.shop.store, try await club.transaction())
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .needsAttention }
    let quote = try await store.quote(try club.introductory("1", false, customer: customer), for: club.phone.id)
    #expect(try await refusal { _ = try await store.confirm(quote, for: club.phone.id) } == .purchaseInterrupted)
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    let resumed = try await club.shop.newest(Self.gold).record
    #expect(resumed.offerType == nil && resumed.price == Milliunits(10_000))
    try await store.setAutoRenew(ofSubscription: resumed.transactionID, isOn: false)
    try await club.advance(days: 40)
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    let asked = try await store.quote(try club.introductory("2", true, customer: customer), for: club.phone.id)
    _ = try await store.confirm(asked, for: club.phone.id)
    let approved = try await store.decideApproval(of: "2", on: club.phone.id, isApproved: true)
    #expect(approved?.record.offerType == .introductory && approved?.record.price == Milliunits(1_000))
  }

  @Test("a payment without statements has the same bytes in a quote as before them")
  func bytes() throws {
    let payment = PaymentRequest(
      paymentID: "p", productID: "tea", offer: PaymentOffer(kind: .winBack, identifier: "back"))
    let json = String(decoding: try QuoteMaker.encoder().encode(payment), as: UTF8.self)
    #expect(json == #"{"offer":{"identifier":"back","kind":"winBack"},"paymentID":"p","productID":"tea","quantity":1}"#)
  }
}
