import Foundation
import SignedData
import StoreModel

@testable import PurchaseLedger

/// A random history of a ledger: redemptions, notifications, spends, operators' actions, joins and erasures.
struct RandomLedger {
  let fixture: TestLedger
  private let devices = (0..<3).map { _ in UUID() }
  private var generator: SeededGenerator
  private var claimants: [Claimant] = []
  private var purchases: [Purchase] = []
  private var next: UInt64 = 1
  private var number = 0
  /// The date of the store, in seconds after ``TestLedger/start``.
  private var seconds: Int64 = 1

  /// A purchase, as the store states it now.
  private struct Purchase {
    let product: ProductID
    let type: ProductType
    let original: UInt64
    var periods: [ProvenPurchase]
    var isShared = false
  }

  private static let pass = ProductID("com.example.reader.pass")
  private static let gold = ProductID("com.example.reader.gold")

  init(seed: UInt64, _ engine: LedgerEngine) async throws {
    try await self.init(seed: seed, on: engine.makeDatabase())
  }

  init(seed: UInt64, on database: any LedgerDatabase) async throws {
    generator = SeededGenerator(seed: seed)
    var settings = LedgerSettings()
    settings.refundPolicy = LedgerSettings.RefundPolicy.allCases[Int(seed % 3)]
    settings.accountTokensNameCustomers = false
    fixture = try await TestLedger.open(on: database, settings)
    let ledger = fixture.ledger
    try await ledger.publish(
      LedgerProduct(id: Self.pass, type: .nonRenewingSubscription, accessDays: 30), app: TestLedger.app, by: "olga")
    try await ledger.publish(
      LedgerProduct(id: Self.gold, type: .autoRenewableSubscription), app: TestLedger.app, by: "olga")
    for name in ["ada", "ben", "cleo"] { claimants.append(try await fixture.identified(name)) }
    for device in devices { claimants.append(try await fixture.installation(on: device)) }
  }

  private mutating func chance(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  private mutating func choose<Element>(_ list: [Element]) -> Element { list[chance(list.count)] }

  // MARK: Steps

  mutating func step() async throws {
    seconds += Int64(1 + chance(3_600))
    fixture.clock.advance(seconds: Int64(chance(3_600)))
    number += 1
    do {
      try await act()
    } catch is LedgerError {
      // Much of what is tried at random is refused.
    }
  }

  private mutating func act() async throws {
    let ledger = fixture.ledger
    let claimant = choose(claimants)
    let (customer, app) = (claimant.customer, TestLedger.app)
    switch chance(22) {
    case 0...3: buy()
    case 4...8: try await redeem(for: claimant)
    case 9: renew()
    case 10...11: try await refund()
    case 12: try await notify()
    case 13...14:
      _ = try await ledger.spend(
        Int64(1 + chance(6)), of: TestLedger.coin, key: "\(chance(40))", customer: customer, app: app)
    case 15:
      let credits = OperatorGrant.credits(TestLedger.coin, Int64(chance(20)) - 5)
      let product = OperatorGrant.product(
        choose([TestLedger.book, TestLedger.magazine]),
        accessUntil: chance(2) == 0 ? nil : fixture.clock.now.adding(seconds: 86_400))
      try await ledger.grant(
        chance(2) == 0 ? credits : product, to: customer, app: app, key: "\(number)", reason: "r", by: "olga")
    case 16:
      let held = try await ledger.entitlements(of: customer, app: app)
      guard !held.isEmpty else { return }
      let chosen = choose(held)
      try await ledger.revoke(
        chosen.product, source: chosen.source, from: customer, app: app, reason: "r", by: "olga")
    case 17:
      guard !purchases.isEmpty else { return }
      try await ledger.move(
        TransactionID(choose(purchases).original), in: .production, app: app, to: customer, reason: "r", by: "olga")
    case 18:
      for claimant in claimants {
        _ = try await ledger.liftBlock(
          of: TestLedger.coin, customer: claimant.customer, app: app, reason: "r", by: "olga")
      }
    case 19...20:
      // Without credits, a refund of some causes a block or a debt.
      let balances = try await ledger.creditBalances(of: customer, app: app).credits
      guard let balance = balances.first?.balance, balance > 0 else { return }
      _ = try await ledger.spend(
        balance, of: TestLedger.coin, key: "all \(number)", customer: customer, app: app)
    default:
      if chance(3) == 0 {
        try await ledger.erase(customer, by: chance(2) == 0 ? nil : ("olga", "r"))
      }
      // Somebody reinstalls an app, or a new customer comes.
      claimants.append(
        chance(3) == 0
          ? try await fixture.identified("new \(number)") : try await fixture.installation(on: choose(devices)))
    }
  }

  private mutating func buy() {
    let (product, type) = choose([
      (TestLedger.coins, ProductType.consumable), (TestLedger.coins, .consumable), (TestLedger.book, .nonConsumable),
      (TestLedger.club, .autoRenewableSubscription), (Self.pass, .nonRenewingSubscription),
    ])
    var first = purchase(product, type, original: next)
    first.quantity = type == .consumable ? 1 + chance(2) : 1
    purchases.append(Purchase(product: product, type: type, original: next, periods: [first]))
    next += 1
  }

  private mutating func purchase(_ product: ProductID, _ type: ProductType, original: UInt64) -> ProvenPurchase {
    let date = TestLedger.start.adding(seconds: seconds)
    let isRenewable = type == .autoRenewableSubscription
    var new = ProvenPurchase(
      transactionID: TransactionID(next), originalTransactionID: TransactionID(original), productID: product,
      type: type,
      purchaseDate: date, originalPurchaseDate: date, expiresDate: isRenewable ? date.adding(seconds: 86_400) : nil,
      ownership: .purchased, price: choose([nil, PurchasePrice(milliunits: Int64(next) * 990, currency: "EUR")]),
      periodType: isRenewable ? choose([PurchasePeriodType.normal, .trial, .intro]) : nil)
    if isRenewable, let first = purchases.first(where: { $0.original == original })?.periods.first {
      new.originalPurchaseDate = first.originalPurchaseDate
    }
    return new
  }

  /// A subscription renews, perhaps with another plan, or its last period is extended.
  private mutating func renew() {
    let own = purchases.indices.filter { purchases[$0].type == .autoRenewableSubscription }
    guard !own.isEmpty else { return }
    let place = choose(own)
    if chance(3) == 0 {
      let last = purchases[place].periods.count - 1
      purchases[place].periods[last].expiresDate = purchases[place].periods[last].expiresDate?.adding(seconds: 3_600)
    } else {
      let period = purchase(
        choose([TestLedger.club, Self.gold]), .autoRenewableSubscription, original: purchases[place].original)
      purchases[place].periods.append(period)
      next += 1
    }
  }

  /// A purchase is refunded, or the refund of one is reversed. Half of them are stated at once.
  private mutating func refund() async throws {
    guard !purchases.isEmpty else { return }
    let refunded = purchases.indices.filter { purchases[$0].periods.contains { $0.revocation != nil } }
    let place = refunded.isEmpty || chance(2) == 0 ? chance(purchases.count) : choose(refunded)
    let period = chance(purchases[place].periods.count)
    let isRefunded = purchases[place].periods[period].revocation != nil
    purchases[place].periods[period].revocation =
      isRefunded && chance(2) == 0
      ? nil
      : ProvenPurchase.Revocation(
        date: TestLedger.start.adding(seconds: seconds), reason: chance(2) == 0 ? nil : 1,
        percentage: chance(2) == 0 ? 100_000 : Int64(1 + chance(99_999)))
    if chance(6) == 0 { purchases[place].periods[period].ownership = .familyShared }
    if chance(2) == 0 { try await notify(of: purchases[place]) }
  }

  private mutating func proof(_ chosen: [Purchase], issuedFor device: UUID?) -> VerifiedProof {
    let renewals = chosen.filter { $0.type == .autoRenewableSubscription }.map { subscription in
      ProvenRenewal(
        originalTransactionID: TransactionID(subscription.original),
        lastPeriod: subscription.periods.last!.transactionID, productID: choose([TestLedger.club, Self.gold]),
        isAutoRenewOn: chance(2) == 0, isInBillingRetry: chance(3) == 0,
        gracePeriodEnd: chance(3) == 0 ? TestLedger.start.adding(seconds: seconds + 90_000) : nil,
        expirationIntent: chance(3) == 0 ? 1 : nil, priceIncrease: choose([nil, nil, 0, 1]))
    }
    // The date of an old proof is before that of others.
    let stated = chance(5) == 0 ? max(1, seconds - 5_000) : seconds
    return TestLedger.proof(
      chosen.flatMap(\.periods), stated: stated, issued: seconds + 1_000_000, issuedFor: device, renewals: renewals)
  }

  private mutating func redeem(for claimant: Claimant) async throws {
    guard !purchases.isEmpty else { return }
    let chosen = (0..<1 + chance(3)).map { _ in choose(purchases) }
    let unique = Dictionary(chosen.map { ($0.original, $0) }) { $1 }.values.sorted { $0.original < $1.original }
    let device: UUID? = if case .vendorIdentifier(let id) = claimant.device { id } else { nil }
    let proof = proof(unique, issuedFor: device)
    _ = try await fixture.ledger.redeem(proof, .everythingOwned, for: claimant)
    let coins = proof.purchases.filter { $0.type == .consumable }.map {
      RedemptionRequest.Item(transactionID: $0.transactionID)
    }
    _ = try await fixture.ledger.redeem(proof, .purchases(coins), for: claimant)
  }

  /// A notification or a reverification states a purchase.
  private mutating func notify() async throws {
    guard !purchases.isEmpty else { return }
    try await notify(of: choose(purchases))
  }

  private mutating func notify(of purchase: Purchase) async throws {
    let proof = proof([purchase], issuedFor: nil)
    if chance(2) == 0 {
      try await fixture.ledger.recordStatuses(from: proof)
    } else {
      let notification = StoreNotification(
        app: TestLedger.app, environment: .production, uuid: "\(number)", type: "REFUND", subtype: nil,
        originalTransactionID: proof.purchases.first?.originalTransactionID, signed: proof.statedDate,
        content: .purchase(proof), payload: "payload")
      _ = try await fixture.ledger.receive(notification, from: chance(2) == 0 ? .sent : .history)
    }
  }
}
