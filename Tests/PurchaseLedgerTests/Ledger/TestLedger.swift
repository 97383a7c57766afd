import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

/// A ledger with an app that sells coins, a book, an issue of a magazine and a subscription.
/// It also makes the proofs of the app's purchases.
struct TestLedger {
  static let app = BundleID("com.example.reader")
  static let coins = ProductID("com.example.reader.coins")
  static let book = ProductID("com.example.reader.book")
  static let magazine = ProductID("com.example.reader.magazine")
  static let club = ProductID("com.example.reader.club")
  static let coin = CreditUnit(rawValue: "coins")!
  static let start = StoreDate(millisecondsSince1970: 1_800_000_000_000)

  let ledger: Ledger
  let database: any LedgerDatabase
  let clock: ManualClock

  /// - Parameter settings: the operator's settings for the app.
  static func open(_ engine: LedgerEngine, _ settings: LedgerSettings = LedgerSettings()) async throws -> TestLedger {
    try await open(on: engine.makeDatabase(), settings)
  }

  static func open(
    on database: any LedgerDatabase, _ settings: LedgerSettings = LedgerSettings()
  ) async throws -> TestLedger {
    let clock = ManualClock(start)
    let ledger = try await Ledger(
      database: database, anchors: .apple, apps: [app: settings], clock: clock)
    let fixture = TestLedger(ledger: ledger, database: database, clock: clock)
    let five = LedgerProduct.Credits(unit: coin, amount: 5)
    try await ledger.publish(LedgerProduct(id: coins, type: .consumable, credits: five), app: app, by: "olga")
    try await ledger.publish(LedgerProduct(id: book, type: .nonConsumable), app: app, by: "olga")
    try await ledger.publish(LedgerProduct(id: magazine, type: .nonConsumable), app: app, by: "olga")
    try await ledger.publish(LedgerProduct(id: club, type: .autoRenewableSubscription), app: app, by: "olga")
    let file = ContentFile(
      name: "book.txt", size: 4, sha256: String(repeating: "a", count: 64), mediaType: "text/plain")
    _ = try await ledger.publish(files: [file], of: book, app: app, by: "olga")
    return fixture
  }

  // MARK: Claimants

  func identified(_ subject: String) async throws -> Claimant { try await ledger.identify(subject: subject) }

  /// Registers an installation, on `device` if it is given.
  func installation(on device: UUID? = nil) async throws -> Claimant {
    try await ledger.authenticate(try await token(on: device))
  }

  func token(on device: UUID? = nil) async throws -> BearerToken {
    try await ledger.registerInstallation(
      app: Self.app, device: device.map { .vendorIdentifier($0) }
    ).token
  }

  // MARK: Proofs

  static func purchase(
    _ product: ProductID, _ id: UInt64, original: UInt64? = nil, quantity: Int = 1, for customer: CustomerID? = nil,
    refunded percentage: Int64? = nil
  ) -> ProvenPurchase {
    ProvenPurchase(
      transactionID: TransactionID(id), originalTransactionID: original.map(TransactionID.init), productID: product,
      quantity: quantity, purchaseDate: start.adding(seconds: Int64(id % 1000)),
      originalPurchaseDate: start.adding(seconds: Int64((original ?? id) % 1000)), appAccountToken: customer?.rawValue,
      revocation: percentage.map { ProvenPurchase.Revocation(date: start, percentage: $0) })
  }

  /// - Parameters:
  ///   - seconds: the date of the purchases' status, in seconds after ``start``.
  ///   - issued: the date at which the store made the proof, in seconds after ``start``; nil for `seconds`, but at least a second, so that
  ///     the proof is newer than installations that register at the start.
  ///   - device: the device for which the proof was issued.
  static func proof(
    _ purchases: [ProvenPurchase], stated seconds: Int64 = 0, issued: Int64? = nil, issuedFor device: UUID? = nil,
    in environment: StoreEnvironment = .production, as proof: PurchaseProof = .appReceipt(Data("receipt".utf8)),
    renewals: [ProvenRenewal] = []
  ) -> VerifiedProof {
    VerifiedProof(
      proof: proof, app: app, environment: environment, statedDate: start.adding(seconds: seconds),
      issuedDate: start.adding(seconds: issued ?? max(seconds, 1)), purchases: purchases,
      renewals: Dictionary(renewals.map { ($0.originalTransactionID, $0) }) { $1 },
      isIssued: { $0 == device.map(DeviceIdentifier.vendorIdentifier) })
  }

  // MARK: Results

  /// Redeems one purchase.
  func redeem(
    _ purchase: ProvenPurchase, stated seconds: Int64 = 0, issuedFor device: UUID? = nil, for claimant: Claimant
  ) async throws -> RedeemedPurchase.Outcome {
    let proof = Self.proof([purchase], stated: seconds, issuedFor: device)
    let request = RedemptionRequest.purchases([.init(transactionID: purchase.transactionID)])
    return try #require(try await ledger.redeem(proof, request, for: claimant).purchases.first).outcome
  }

  func balance(of customer: CustomerID) async throws -> Int64 {
    try await ledger.creditBalances(of: customer, app: Self.app).credits.first?.balance ?? 0
  }

  /// Returns the products to which the customer is entitled now.
  func owned(by customer: CustomerID) async throws -> [ProductID] {
    try await ledger.entitlements(of: customer, app: Self.app).filter { $0.isActive(at: clock.now) }.map(\.product)
  }

  /// Expects that all accounts add up to zero, and that each balance is the sum of its movements.
  func checkBalances() async throws {
    let (sum, faults) = try await database.read { transaction in
      (
        try transaction.row("SELECT CAST(COALESCE(SUM(balance), 0) AS BIGINT) AS total FROM ledger_balance")?
          .integer("total"),
        try transaction.rows("SELECT customer FROM ledger_check").count
      )
    }
    #expect(sum == 0)
    #expect(faults == 0)
  }
}

extension RedeemedPurchase.Outcome {
  var given: GivenGoods? { if case .given(let goods) = self { goods } else { nil } }
  var refusal: RedemptionRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
