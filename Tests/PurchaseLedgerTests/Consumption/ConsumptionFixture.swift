import Foundation
import StoreModel

@testable import PurchaseLedger

/// A ledger whose customer has bought coins and a book, and has spent two of five coins.
struct ConsumptionFixture {
  let fixture: TestLedger
  let ada: Claimant
  var ledger: Ledger { fixture.ledger }

  init(
    _ engine: LedgerEngine, _ policy: ConsumptionSettings.Policy = .automatic,
    _ preference: ConsumptionValues.Preference? = nil, consents: Bool = true
  ) async throws {
    fixture = try await TestLedger.open(
      engine, LedgerSettings(consumption: ConsumptionSettings(policy: policy, refundPreference: preference)))
    ada = try await fixture.identified("ada")
    for (product, id) in [(TestLedger.coins, UInt64(1)), (TestLedger.book, 2)] {
      _ = try await fixture.redeem(TestLedger.purchase(product, id), for: ada)
    }
    _ = try await ledger.spend(2, of: TestLedger.coin, key: "a", customer: ada.customer, app: TestLedger.app)
    if consents { _ = try await consent(true) }
  }

  func consent(_ isGiven: Bool) async throws -> CustomerConsent {
    try await ledger.setConsent(toConsumptionInformation: isGiven, of: ada.customer, app: TestLedger.app)
  }

  /// Receives a notification about a purchase.
  @discardableResult
  func notify(
    _ uuid: String, type: String = "CONSUMPTION_REQUEST", about purchase: ProvenPurchase? = nil,
    signed seconds: Int64 = 10
  ) async throws -> NotificationOutcome {
    var purchase = purchase ?? TestLedger.purchase(TestLedger.coins, 1)
    purchase.type = purchase.type ?? .consumable
    let proof = TestLedger.proof([purchase], stated: seconds, as: .signedTransaction("jws"))
    return try await ledger.receive(
      StoreNotification(
        app: TestLedger.app, environment: .production, uuid: uuid, type: type, subtype: nil,
        originalTransactionID: purchase.originalTransactionID, signed: TestLedger.start.adding(seconds: seconds),
        content: .purchase(proof), payload: "jws", consumptionReason: "LEGAL"), from: .sent)
  }

  func request(_ uuid: String) async throws -> RecordedConsumptionRequest {
    try await ledger.consumptionRequest(uuid, app: TestLedger.app).request
  }

  func states() async throws -> [String: ConsumptionState] {
    let all = try await ledger.consumptionRequests(of: TestLedger.app, limit: 1_000).elements
    return Dictionary(uniqueKeysWithValues: all.map { ($0.uuid, $0.state) })
  }

  /// Works on the next request, as a server does whose store answers `answer`.
  @discardableResult
  func work(_ answer: (ConsumptionValues) -> ConsumptionResult? = { _ in nil }) async throws -> ConsumptionStep? {
    guard let lease = try await ledger.takeConsumptionRequest() else { return nil }
    let step = try await ledger.step(for: lease)
    let result: ConsumptionResult =
      switch step {
      case .send(let values, let date): answer(values) ?? .accepted(values, consented: date)
      case .hold(let state): .held(state)
      case .leave: .left
      case .end: .ended
      }
    _ = try await ledger.settle(lease, result)
    return step
  }
}
