import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests each row of the table of Documentation/purchase-ledger.md, "A claim", and the rules below it, on values. The same rules
/// with a database: `OwnerTests`.
@Suite("Decisions on redeemed purchases", .timeLimit(.minutes(30)))
struct RedemptionDecisionTests {
  typealias Customer = ClaimDecision.Customer
  typealias Change = RedemptionDecision.Change

  static let ada = customer(1, isIdentified: true)
  static let ben = customer(2, isIdentified: true)
  static let (phone, tablet, laptop) = (customer(3), customer(4), customer(5))
  static let erased = customer(6, isErased: true)
  static let now = TestLedger.start.adding(seconds: 500)

  static func customer(_ number: Int, isIdentified: Bool = false, isErased: Bool = false) -> Customer {
    let id = UUID(uuidString: "00000000-0000-4000-8000-00000000000\(number)")!
    return Customer(customer: CustomerID(rawValue: id), isIdentified: isIdentified, isErased: isErased)
  }

  static func redeemer(
    _ customer: Customer, _ device: ClaimDecision.DeviceProof = .none, vendor: Bool = true
  ) -> Redeemer {
    Redeemer(customer: customer, device: device, hasVendorIdentifier: vendor)
  }

  static func product(_ id: ProductID) -> RedeemableProduct {
    switch id {
    case TestLedger.coins:
      RedeemableProduct(
        id: id, type: .consumable, credits: LedgerProduct.Credits(unit: TestLedger.coin, amount: 5), accessDays: nil,
        hasFiles: false)
    case TestLedger.club:
      RedeemableProduct(id: id, type: .autoRenewableSubscription, credits: nil, accessDays: nil, hasFiles: false)
    case Self.pass:
      RedeemableProduct(id: id, type: .nonRenewingSubscription, credits: nil, accessDays: 30, hasFiles: false)
    default: RedeemableProduct(id: id, type: .nonConsumable, credits: nil, accessDays: nil, hasFiles: true)
    }
  }

  static let pass = ProductID("com.example.reader.pass")
  static let products: [ProductID: RedeemableProduct] = Dictionary(
    uniqueKeysWithValues: [TestLedger.coins, TestLedger.book, TestLedger.magazine, TestLedger.club, pass].map {
      ($0, product($0))
    })

  static func key(_ id: UInt64) -> PurchaseKey {
    PurchaseKey(app: TestLedger.app, environment: .production, id: TransactionID(id))
  }

  static func claim(
    _ id: UInt64, of customer: Customer, _ product: ProductID = TestLedger.book, claimed: StoreDate = TestLedger.start,
    isByDevice: Bool = false
  ) -> Claim {
    let known = Self.product(product)
    return Claim(
      key: key(id), customer: customer.customer, product: product, type: known.type, quantity: 1,
      ownership: .purchased, purchased: TestLedger.start.adding(seconds: Int64(id)), claimed: claimed,
      accessDays: known.accessDays, unit: known.credits?.unit, given: known.credits?.amount ?? 0,
      isByDevice: isByDevice)
  }

  static func status(refunded percentage: Int64? = nil) -> RevocationStatus {
    RevocationStatus(
      isRevoked: percentage != nil, date: percentage.map { _ in TestLedger.start }, percentage: percentage ?? 0,
      stated: TestLedger.start)
  }

  static func record(
    _ claim: Claim? = nil, of owner: Customer? = nil, refunded: Int64? = nil, revokedFrom: [Customer] = []
  ) -> ClaimRecord {
    ClaimRecord(
      status: status(refunded: refunded), claim: claim, owner: owner, revokedFrom: Set(revokedFrom.map(\.customer)))
  }

  /// Decides on requested purchases, as a part of a redemption does.
  static func decide(
    _ purchases: [ProvenPurchase], requested: [RedemptionRequest.Item]? = nil, _ records: RedemptionRecords,
    by redeemer: Redeemer
  ) throws -> (items: RedemptionItems, decisions: RedemptionDecisions) {
    let proof = TestLedger.proof(purchases)
    let request = RedemptionRequest.purchases(
      requested ?? purchases.map { RedemptionRequest.Item(transactionID: $0.transactionID) })
    let part = try #require(RedemptionPlan(proof, request).parts.first)
    let items = RedemptionItems(part, of: proof, products, isEnvironmentAllowed: redeemer.isEnvironmentAllowed)
    return (items, try RedemptionDecisions(on: items, records, by: redeemer, now))
  }

  // MARK: The owner

  @Test("G6 H2 each row of the table of owners, refunds and revocations decides", arguments: rows + revoked)
  func row(_ row: Row) throws {
    let token = row.named?.customer.rawValue
    let purchase = TestLedger.purchase(row.product, 1, for: row.named?.customer)
    var records = RedemptionRecords()
    records.claims[Self.key(1)] = row.record
    if let token, let named = row.named { records.named[token] = named }
    if case .askedAgain(let seconds) = row.expected {
      #expect(throws: LedgerError.proofNotNewer(retryAfterSeconds: seconds)) {
        _ = try Self.decide([purchase], records, by: row.redeemer)
      }
      return
    }
    let decision = try #require(try Self.decide([purchase], records, by: row.redeemer).decisions.entries.first)
    let (change, refusal): (Change, RedemptionRefusal?)
    switch row.expected {
    case .claimed(let why, let isByDevice):
      let claim = Self.claim(
        1, of: row.redeemer.customer, row.product, claimed: Self.now, isByDevice: isByDevice)
      (change, refusal) = (.claim(claim), why)
    case .kept(let why, let isByDevice): (change, refusal) = (.keep(.purchased, isByDevice: isByDevice), why)
    case .transferred(let isByDevice): (change, refusal) = (.transfer(.purchased, isByDevice: isByDevice), nil)
    case .refused(let why, let settles): (change, refusal) = (settles ? .settle : .none, why)
    case .askedAgain: return
    }
    #expect(decision == RedemptionDecision(key: Self.key(1), change: change, refusal: refusal))
  }

  // MARK: Several purchases

  @Test("G6 purchases of one claim that name different customers are decided on one after the other")
  func severalOfOneClaim() throws {
    let purchases = [
      TestLedger.purchase(TestLedger.book, 7, original: 1, for: Self.tablet.customer),
      TestLedger.purchase(TestLedger.book, 8, original: 1, for: Self.ada.customer),
      TestLedger.purchase(TestLedger.book, 9, original: 1),
    ]
    var shared = purchases[2]
    shared.ownership = .familyShared
    var records = RedemptionRecords(claims: [Self.key(1): Self.record()])
    records.named = [Self.tablet.customer.rawValue: Self.tablet, Self.ada.customer.rawValue: Self.ada]
    let (_, decisions) = try Self.decide(
      [purchases[0], purchases[1], shared], records, by: Self.redeemer(Self.phone, .issuedAfterRegistration))

    let claim = Self.claim(1, of: Self.phone, claimed: Self.now, isByDevice: true)
    #expect(
      decisions.entries == [
        RedemptionDecision(key: Self.key(1), change: .claim(claim), refusal: nil),
        RedemptionDecision(key: Self.key(1), change: .keep(.purchased, isByDevice: true), refusal: nil),
        RedemptionDecision(key: Self.key(1), change: .keep(.familyShared, isByDevice: true), refusal: nil),
      ])
    #expect(decisions.entries.map(\.isNew) == [true, false, false])
  }

  @Test("G6 a purchase that is refused to its second name is settled for the owner of the first")
  func transferredThenKept() throws {
    let purchases = [
      TestLedger.purchase(TestLedger.book, 1),
      TestLedger.purchase(TestLedger.book, 7, original: 1, for: Self.ben.customer),
    ]
    var records = RedemptionRecords()
    records.claims[Self.key(1)] = Self.record(Self.claim(1, of: Self.tablet), of: Self.tablet)
    records.named = [Self.ben.customer.rawValue: Self.ben]
    let older = try Self.decide(purchases, records, by: Self.redeemer(Self.phone, .issuedBefore)).decisions
    #expect(
      older.entries.map(\.change) == [
        .transfer(.purchased, isByDevice: false), .keep(.purchased, isByDevice: false),
      ])
    let none = try Self.decide(purchases, records, by: Self.redeemer(Self.phone)).decisions
    #expect(none.entries.map(\.change) == [.settle, .settle])
    #expect(none.entries.map(\.refusal) == [.claimedByAnotherCustomer, .namesAnotherCustomer])
  }

  @Test("B9 items with the same claim and the same name are one decision, in the order of the claims' ids")
  func order() throws {
    let purchases = [
      TestLedger.purchase(TestLedger.book, 9, original: 3), TestLedger.purchase(TestLedger.coins, 2),
      TestLedger.purchase(TestLedger.book, 3),
    ]
    var records = RedemptionRecords()
    for id in [2, 3] as [UInt64] { records.claims[Self.key(id)] = Self.record() }
    let (items, decisions) = try Self.decide(purchases, records, by: Self.redeemer(Self.ada))
    #expect(decisions.entries.map(\.key) == [Self.key(2), Self.key(3)])
    #expect(items.entries.map { $0.requests.map(\.place) } == [[1], [0, 2]])
    #expect(items.entries[1].requests.map(\.transactionID) == [TransactionID(9), TransactionID(3)])
  }

  @Test("G6 another purchase under a known id is refused before its owner is looked at; refunds of others are settled")
  func otherPurchaseAndRefunds() throws {
    let purchases = [TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase(TestLedger.book, 2)]
    var records = RedemptionRecords()
    records.otherPurchases = [TransactionID(1)]
    records.refunded = [Self.key(5)]
    let decisions = try Self.decide(purchases, records, by: Self.redeemer(Self.ada)).decisions
    #expect(decisions.entries.map(\.refusal) == [.otherPurchase, .notInProof])
    #expect(decisions.entries.map(\.change) == [.none, .none])
    #expect(decisions.refunded == [RedemptionDecision(key: Self.key(5), change: .settle, refusal: nil)])
  }

  @Test("F3 a quantity that gives too many credits or days is an error", arguments: [TestLedger.coins, pass])
  func quantities(_ product: ProductID) throws {
    let records = RedemptionRecords(claims: [Self.key(1): Self.record()])
    for quantity in [0, Int.max] {
      #expect(throws: LedgerError.amountOutOfRange(Int64(quantity))) {
        _ = try Self.decide(
          [TestLedger.purchase(product, 1, quantity: quantity)], records, by: Self.redeemer(Self.ada))
      }
    }
    let decision = try Self.decide(
      [TestLedger.purchase(product, 1, quantity: 3)], records, by: Self.redeemer(Self.ada)
    ).decisions.entries.first
    guard case .claim(let claim) = decision?.change else {
      Issue.record("not claimed: \(String(describing: decision))")
      return
    }
    #expect(claim.given == (product == TestLedger.coins ? 15 : 0))
    #expect(claim.accessDays == (product == TestLedger.coins ? nil : 90))
    #expect(claim.quantity == 3)
  }

  // MARK: The proof and the catalog

  @Test("G6 product, environment, type and catalog are checked in this order, before anything that is recorded")
  func refusals() throws {
    var wrongType = TestLedger.purchase(TestLedger.coins, 4)
    wrongType.type = .nonConsumable
    let purchases = [
      TestLedger.purchase("com.example.reader.unheard", 2), TestLedger.purchase(TestLedger.book, 3), wrongType,
    ]
    let requested: [RedemptionRequest.Item] = [
      .init(transactionID: TransactionID(9)), .init(transactionID: TransactionID(2)),
      .init(transactionID: TransactionID(3), productID: TestLedger.coins),
      .init(transactionID: TransactionID(4), productID: TestLedger.book), .init(transactionID: TransactionID(4)),
      .init(transactionID: TransactionID(3)),
    ]
    func refusals(isAllowed: Bool) throws -> [Int: RedemptionRefusal?] {
      var redeemer = Self.redeemer(Self.ada)
      redeemer.isEnvironmentAllowed = isAllowed
      return try Self.decide(purchases, requested: requested, RedemptionRecords(), by: redeemer).items.refused
        .mapValues(\.outcome.refusal)
    }
    #expect(
      try refusals(isAllowed: true) == [
        0: .notInProof, 1: .unknownProduct("com.example.reader.unheard"), 2: .otherProduct(TestLedger.book),
        3: .otherProduct(TestLedger.coins), 4: .otherType(.nonConsumable),
      ])
    #expect(
      try refusals(isAllowed: false) == [
        0: .notInProof, 1: .environmentNotAllowed(.production), 2: .otherProduct(TestLedger.book),
        3: .otherProduct(TestLedger.coins), 4: .environmentNotAllowed(.production),
        5: .environmentNotAllowed(.production),
      ])
  }

  @Test("H2 a restore takes the newest purchase of each original transaction, and no consumable")
  func restored() throws {
    let proof = TestLedger.proof([
      TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase(TestLedger.book, 2),
      TestLedger.purchase(TestLedger.magazine, 4, original: 3, refunded: 100_000),
      TestLedger.purchase(TestLedger.magazine, 3), TestLedger.purchase(TestLedger.book, 5, original: 2),
    ])
    let part = try #require(RedemptionPlan(proof, .everythingOwned).parts.first)
    #expect(part.neededProducts == [TestLedger.coins, TestLedger.book, TestLedger.magazine])
    let items = RedemptionItems(part, of: proof, Self.products, isEnvironmentAllowed: true)
    #expect(items.entries.map(\.purchase.transactionID) == [TransactionID(5), TransactionID(3)])
    #expect(items.refused.isEmpty)
  }

  @Test("B9 an item that the proof lacks follows from the claimant's earlier claim")
  func missing() throws {
    let coins = TestLedger.coins
    let items: [RedemptionRequest.Item] = [
      .init(transactionID: TransactionID(1), productID: coins), .init(transactionID: TransactionID(2)),
      .init(transactionID: TransactionID(1), productID: TestLedger.book), .init(transactionID: TransactionID(3)),
      .init(transactionID: TransactionID(4)), .init(transactionID: TransactionID(5)),
    ]
    var records = RedemptionRecords()
    for (id, owner, product, refunded, revoked) in [
      (1, Self.ada, coins, nil, []), (2, Self.ada, coins, 100_000, []), (3, Self.ben, coins, nil, []),
      (5, Self.ada, TestLedger.book, nil, [Self.ada]),
    ] as [(UInt64, Customer, ProductID, Int64?, [Customer])] {
      records.claims[Self.key(id)] = Self.record(
        Self.claim(id, of: owner, product), of: owner, refunded: refunded, revokedFrom: revoked)
    }
    let (missing, decisions) = try Self.decide([], requested: items, records, by: Self.redeemer(Self.ada))
    #expect(missing.missing.map(\.place) == [0, 2, 1, 3, 4, 5])
    #expect(missing.refused.values.allSatisfy { $0.outcome.refusal == .notInProof })
    #expect(
      decisions.missing == [
        RedemptionDecision(key: Self.key(1), change: .settle, refusal: nil),
        RedemptionDecision(key: Self.key(1), change: .none, refusal: .otherProduct(coins)),
        RedemptionDecision(key: Self.key(2), change: .settle, refusal: .refunded(TestLedger.start)), nil, nil,
        RedemptionDecision(key: Self.key(5), change: .settle, refusal: .revoked),
      ])
  }

  // MARK: Joining

  @Test(
    "D1 G6 only an installation that owns nothing and shows a newer device proof with vendor identifier is joined",
    arguments: 0..<8)
  func joins(_ number: Int) {
    let (ownsNothing, isVendor, isEarlierAnonymous) = (number & 1 > 0, number & 2 > 0, number & 4 > 0)
    let earlier = CustomerStatus(
      customer: Self.tablet.customer, subject: isEarlierAnonymous ? nil : "ada", isErased: false, joinedTo: nil,
      hasUnscheduledPasses: false)
    let mayJoin = ownsNothing && isVendor && isEarlierAnonymous
    for (device, expected) in [
      (.none, .stay), (.issuedBefore, .stay), (.issuedAfterRegistration, mayJoin ? .join(Self.tablet) : .stay),
      (.issuedInSameSecond(retryAfterSeconds: 2), mayJoin ? .askAgain(seconds: 2) : .stay),
    ] as [(ClaimDecision.DeviceProof, JoinDecision)] {
      let phone = Self.redeemer(Self.phone, device, vendor: isVendor)
      #expect(JoinDecision(of: phone, to: earlier, ownsNothing: ownsNothing) == expected)
      let ada = Self.redeemer(Self.ada, device, vendor: isVendor)
      #expect(JoinDecision(of: ada, to: earlier, ownsNothing: ownsNothing) == .stay)
    }
  }

  @Test("D1 an installation is joined neither to an erased customer nor to one who was joined to another")
  func joinsActive() {
    for (isErased, joinedTo) in [(true, nil), (false, Self.laptop.customer)] as [(Bool, CustomerID?)] {
      let earlier = CustomerStatus(
        customer: Self.tablet.customer, subject: nil, isErased: isErased, joinedTo: joinedTo,
        hasUnscheduledPasses: false)
      let phone = Self.redeemer(Self.phone, .issuedAfterRegistration)
      #expect(JoinDecision(of: phone, to: earlier, ownsNothing: true) == .stay)
    }
  }
}
