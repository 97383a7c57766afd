import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

/// Documentation/purchase-ledger.md, "Prices".
@Suite("Prices of purchases", .timeLimit(.minutes(30)))
struct PriceTests {
  private static let euro = PurchasePrice(milliunits: 990, currency: "EUR")
  private static let dollar = PurchasePrice(milliunits: 1_090, currency: "USD")

  private static func coins(_ price: PurchasePrice?) -> ProvenPurchase {
    var purchase = TestLedger.purchase(TestLedger.coins, 1)
    purchase.type = .consumable
    purchase.price = price
    return purchase
  }

  private static func period(
    _ price: PurchasePrice?, _ type: PurchasePeriodType? = nil, until seconds: Int64 = 1_000
  ) -> ProvenPurchase {
    var purchase = TestLedger.purchase(TestLedger.club, 3)
    purchase.type = .autoRenewableSubscription
    purchase.expiresDate = TestLedger.start.adding(seconds: seconds)
    (purchase.price, purchase.periodType) = (price, type)
    return purchase
  }

  private func redeem(_ purchase: ProvenPurchase, stated: Int64, _ fixture: TestLedger) async throws {
    _ = try await fixture.redeem(purchase, stated: stated, for: fixture.identified("ada"))
  }

  private func record(_ purchase: ProvenPurchase, stated: Int64, _ fixture: TestLedger) async throws {
    _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: stated))
  }

  /// The prices of the claim and of the period, as they are exported.
  private func prices(_ fixture: TestLedger) async throws -> (claim: PurchasePrice?, period: PurchasePrice?) {
    let export = try await fixture.ledger.exported(fixture.identified("ada").customer)
    return (export.purchases.first?.price, export.periods.first?.price)
  }

  // MARK: Reading

  @Test("a signed transaction has the price for all units, and the kind of a period; a receipt has neither")
  func read() async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone()
    let bought = try await shop.buy(quantity: 2, on: phone)
    let verifier = try shop.verifier(.offline)
    let signed = try await verifier.verify(.signedTransaction(bought.signedTransaction), for: TeaStore.app)
    let contents = try UnverifiedJWS(bought.signedTransaction).transaction()
    let expected = PurchasePrice(contents.price, contents.currency)
    #expect(expected != nil && signed.purchases.map(\.price) == [expected])
    #expect(signed.purchases.map(\.periodType) == [nil])
    let receipt = try await verifier.verify(.appReceipt(Data(bought.appReceipt)), for: TeaStore.app)
    #expect(receipt.purchases.allSatisfy { $0.price == nil && $0.periodType == nil } && !receipt.purchases.isEmpty)

    let subscribed = try await shop.buy(TeaStore.monthly, as: "payment 2", on: phone)
    let period = try await verifier.verify(.signedTransaction(subscribed.signedTransaction), for: TeaStore.app)
    #expect(period.purchases.map(\.periodType) == [.normal])
    #expect(period.purchases.first?.price?.milliunits ?? 0 > 0)
  }

  @Test("an offer is a trial if it is free; a price without a currency, or out of range, is unknown")
  func values() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(TeaStore.monthly, on: try await shop.phone())
    let genuine = try UnverifiedJWS(bought.signedTransaction).transaction()
    func read(_ change: (inout SignedTransaction) -> Void) throws -> ProvenPurchase {
      var transaction = genuine
      change(&transaction)
      return try ProvenPurchase(transaction)
    }
    typealias Offer = (type: Int64?, discount: String?, price: Int64, expected: PurchasePeriodType)
    for offer in [
      (nil, nil, 5_000, .normal), (nil, nil, 0, .normal), (1, "FREE_TRIAL", 0, .trial), (3, "FREE_TRIAL", 0, .trial),
      (1, "PAY_AS_YOU_GO", 990, .intro), (2, "PAY_UP_FRONT", 990, .intro), (1, nil, 0, .trial), (1, nil, 990, .intro),
      (1, "NEW_KIND", 0, .intro),
    ] as [Offer] {
      let purchase = try read {
        ($0.rawOfferType, $0.rawOfferDiscountType, $0.price) = (offer.type, offer.discount, Milliunits(offer.price))
      }
      #expect(purchase.periodType == offer.expected, "\(offer)")
      #expect(purchase.price?.milliunits == offer.price)
    }
    #expect(try read { $0.price = nil }.price == nil)
    #expect(try read { $0.price = Milliunits(-1) }.price == nil)
    #expect(try read { $0.price = Milliunits(PurchasePrice.largest + 1) }.price == nil)
    for currency in [nil, "", "eur", "EURO", "E1R"] as [String?] {
      #expect(try read { $0.currency = currency }.price == nil, "\(currency ?? "nil")")
    }
  }

  // MARK: Recording

  @Test("the claim has the price of the proof with which it was made", arguments: LedgerEngine.allCases)
  func claimed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    try await redeem(Self.coins(Self.euro), stated: 0, fixture)
    #expect(try await prices(fixture).claim == Self.euro)
    try await fixture.database.close()
  }

  @Test(
    "a proof with a price fills it in, whatever its date; a price that is there stays",
    arguments: LedgerEngine.allCases)
  func filledIn(_ engine: LedgerEngine) async throws {
    for isRecorded in [false, true] {
      let fixture = try await TestLedger.open(engine)
      try await redeem(Self.coins(nil), stated: 10, fixture)
      #expect(try await prices(fixture).claim == nil)
      for (price, stated) in [(Self.euro, 5), (Self.dollar, 20), (nil, 30)] as [(PurchasePrice?, Int64)] {
        if isRecorded {
          try await record(Self.coins(price), stated: stated, fixture)
        } else {
          try await redeem(Self.coins(price), stated: stated, fixture)
        }
        #expect(try await prices(fixture).claim == Self.euro)
      }
      try await fixture.database.close()
    }
  }

  @Test(
    "periods have prices, and their claim has none; a price is filled in without changing the period",
    arguments: LedgerEngine.allCases)
  func periods(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    try await redeem(Self.period(nil), stated: 10, fixture)
    let events = try await LedgerReplay.events(of: fixture.ledger).count
    // It is older, and states another end.
    try await record(Self.period(Self.euro, .trial, until: 500), stated: 5, fixture)
    var found = try await prices(fixture)
    #expect(found.claim == nil && found.period == Self.euro)
    let export = try await fixture.ledger.exported(fixture.identified("ada").customer)
    let period = try #require(export.periods.first)
    #expect(period.periodType == .trial && period.accessUntil == TestLedger.start.adding(seconds: 1_000))
    #expect(period.stated == TestLedger.start.adding(seconds: 10))
    #expect(try await LedgerReplay.events(of: fixture.ledger).count == events)
    // It is newer, and is another price.
    try await record(Self.period(Self.dollar, .normal, until: 2_000), stated: 20, fixture)
    found = try await prices(fixture)
    #expect(found.claim == nil && found.period == Self.euro)
    let later = try await fixture.ledger.exported(fixture.identified("ada").customer).periods.first
    #expect(later?.periodType == .trial && later?.accessUntil == TestLedger.start.adding(seconds: 2_000))
    try await fixture.database.close()
  }

  @Test("a transferred claim keeps its price, and gets one that was missing", arguments: LedgerEngine.allCases)
  func transferred(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let device = UUID()
    var book = TestLedger.purchase(TestLedger.book, 2)
    _ = try await fixture.redeem(book, issuedFor: device, for: fixture.installation(on: device))
    fixture.clock.advance(seconds: 60)
    let second = try await fixture.installation(on: device)
    book.price = Self.euro
    // The proof is older than the second installation.
    _ = try await fixture.redeem(book, stated: 30, issuedFor: device, for: second)
    let export = try await fixture.ledger.exported(second.customer)
    #expect(export.purchases.map(\.price) == [Self.euro] && export.transfers.count == 1)
    try await fixture.database.close()
  }

  @Test("a price that is known costs a redemption nothing", arguments: LedgerEngine.allCases)
  func cost(_ engine: LedgerEngine) async throws {
    let database = try await CountingDatabase(engine)
    let fixture = try await TestLedger.open(on: database)
    let ada = try await fixture.identified("ada")
    let request = RedemptionRequest.purchases([.init(transactionID: TransactionID(1))])
    func redeem() async throws -> CountingDatabase.Work {
      try await database.counting {
        _ = try await fixture.ledger.redeem(TestLedger.proof([Self.coins(Self.euro)]), request, for: ada)
      }
    }
    let first = try await redeem()
    #expect((first.statements, first.roundTrips) == (9, 4))
    let again = try await redeem()
    #expect((again.statements, again.roundTrips) == (6, 3))
    try await database.close()
  }
}
