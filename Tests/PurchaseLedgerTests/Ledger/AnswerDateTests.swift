import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/verification.md, "The server's clock".
@Suite("Dates of the store's answers", .timeLimit(.minutes(30)))
struct AnswerDateTests {
  private static let id = TransactionID(100)

  /// Redeems the purchase of a store's answer, then verifies it again after a refund.
  ///
  /// - Returns: the refusal of the first redemption, and the customer's credits after the refund.
  private func refund(
    afterAnswerDated date: StoreDate, _ engine: LedgerEngine
  ) async throws -> (refusal: ProofRefusal?, credits: Int64) {
    let scripted = try ScriptedVerifier([
      StoreAnswer.app(receipt: ["request_date_ms": "\(date.millisecondsSince1970)"])
    ]) { policy in
      policy.retries = 0
    }
    let ledger = try await Ledger(
      database: engine.makeDatabase(), anchors: .apple, apps: [StoreAnswer.app: LedgerSettings()], clock: scripted.clock
    )
    let unit = TestLedger.coin
    try await ledger.publish(
      LedgerProduct(
        id: "org.example.teahouse.oolong", type: .consumable, credits: LedgerProduct.Credits(unit: unit, amount: 5)),
      app: StoreAnswer.app, by: "olga")
    let customer = try await ledger.identify(subject: "ada")
    func redeem() async throws {
      _ = try await ledger.redeem(
        try await scripted.verify(), .purchases([.init(transactionID: Self.id)]), for: customer)
    }
    var refusal: ProofRefusal?
    do { try await redeem() } catch let error as ProofRefusal { refusal = error }

    let later = scripted.clock.now.adding(seconds: 3_600)
    scripted.clock.set(later)
    scripted.server.setAnswers([
      StoreAnswer.app(
        [StoreAnswer.purchase("100", ["cancellation_date_ms": "\(later.millisecondsSince1970)"])],
        receipt: ["request_date_ms": "\(later.millisecondsSince1970)"])
    ])
    let proof = try await scripted.verify()
    try await ledger.recordStatuses(from: proof)
    if refusal != nil { try await redeem() }
    let balances = try await ledger.creditBalances(of: customer.customer, app: StoreAnswer.app).credits
    return (refusal, balances.first?.balance ?? 0)
  }

  @Test(
    "G6 an answer dated in the year 9999 is not accepted, and a refund is recorded afterwards",
    arguments: LedgerEngine.allCases
  )
  func farAhead(_ engine: LedgerEngine) async throws {
    let result = try await refund(
      afterAnswerDated: StoreDate(millisecondsSince1970: 253_402_300_799_000), engine)
    #expect(result.refusal == .storeUnavailable(retryAfterSeconds: 30))
    #expect(result.credits == 0)
  }

  @Test("G6 an answer that is hours ahead is accepted: clocks differ", arguments: LedgerEngine.allCases)
  func hoursAhead(_ engine: LedgerEngine) async throws {
    let date = StoreDate(millisecondsSince1970: StoreAnswer.asked).adding(seconds: 2 * 3_600 - 1)
    let result = try await refund(afterAnswerDated: date, engine)
    #expect(result.refusal == nil)
    #expect(result.credits == 0)
  }

  @Test("a policy for an emulator accepts a clock that was set years ahead")
  func years() async throws {
    let answer = StoreDate(millisecondsSince1970: StoreAnswer.asked).adding(seconds: 10 * 366 * 86_400)
    let scripted = try ScriptedVerifier([
      StoreAnswer.app(receipt: ["request_date_ms": "\(answer.millisecondsSince1970)"])
    ]) { $0.secondsAhead = VerifyReceiptPolicy.longestSecondsAhead }
    #expect(try await scripted.verify().statedDate == answer)
  }
}
