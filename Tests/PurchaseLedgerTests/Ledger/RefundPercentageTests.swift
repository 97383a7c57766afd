import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Only signed transactions have the percentage of a refund. What the ledger takes back must not depend on which statement came first.
@Suite("Percentages of refunds", .timeLimit(.minutes(30)))
struct RefundPercentageTests {
  struct Statement: Sendable {
    /// Seconds after ``TestLedger/start``.
    let stated: Int64
    /// The date of the refund; nil if the purchase is not refunded.
    let refunded: Int64?
    let percentage: Int64?

    init(_ stated: Int64, refunded: Int64? = nil, _ percentage: Int64? = nil) {
      (self.stated, self.refunded, self.percentage) = (stated, refunded, percentage)
    }
  }

  struct History: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let statements: [Statement]
    let percentage: Int64
    /// What is left of five coins.
    let balance: Int64

    init(_ name: String, _ statements: [Statement], _ percentage: Int64, balance: Int64) {
      (testDescription, self.statements, self.percentage, self.balance) = (name, statements, percentage, balance)
    }
  }

  static let histories = [
    History(
      "a part, and a later receipt", [.init(10, refunded: 10, 40_000), .init(12, refunded: 10)], 40_000, balance: 3),
    History("no percentage at all", [.init(10, refunded: 10), .init(12, refunded: 10)], 100_000, balance: 0),
    History(
      "two percentages of one refund, and a later receipt",
      [.init(10, refunded: 10, 40_000), .init(11, refunded: 10, 60_000), .init(13, refunded: 10)], 60_000, balance: 2),
    History(
      "a part, its reversal, then everything, which only a receipt states",
      [.init(10, refunded: 10, 40_000), .init(12), .init(20, refunded: 15)], 100_000, balance: 0),
    History(
      "a part, then everything: receipts of both",
      [.init(10, refunded: 10, 40_000), .init(11, refunded: 10), .init(20, refunded: 15)], 100_000, balance: 0),
    History(
      "a receipt of the refund before its percentage, and the reversal",
      [.init(10, refunded: 10), .init(10, refunded: 10, 40_000), .init(12)], 0, balance: 5),
  ]

  @Test(
    "G6 the newest percentage of a refund counts, in any order of the statements and repeated",
    arguments: LedgerEngine.allCases, histories)
  func orders(_ engine: LedgerEngine, _ history: History) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    for (place, order) in permutations(of: history.statements).enumerated() {
      let id = UInt64(place + 1)
      _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, id), for: ada)
      let before = try await fixture.balance(of: ada.customer)
      for statement in order + order {
        var purchase = TestLedger.purchase(TestLedger.coins, id)
        purchase.revocation = statement.refunded.map {
          ProvenPurchase.Revocation(date: TestLedger.start.adding(seconds: $0), percentage: statement.percentage)
        }
        _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: statement.stated))
      }
      let row = try await fixture.database.read {
        try $0.rows("SELECT percentage FROM statement WHERE id = $1", "\(id)").first?.integer("percentage")
      }
      let text = order.map { "\($0)" }.joined(separator: ", ")
      #expect(row == history.percentage, "\(text)")
      #expect(try await fixture.balance(of: ada.customer) == before - 5 + history.balance, "\(text)")
    }
    try await fixture.checkBalances()
    try await fixture.database.close()
  }

  private func permutations(of statements: [Statement]) -> [[Statement]] {
    guard let first = statements.first else { return [[]] }
    return permutations(of: Array(statements.dropFirst())).flatMap { rest in
      (0...rest.count).map { place in Array(rest.prefix(place)) + [first] + Array(rest.dropFirst(place)) }
    }
  }

  @Test("files of a consumable whose refund turns out to be a partial one can be downloaded again")
  func files() async throws {
    let fixture = try await TestLedger.open(.sqlite)
    let file = ContentFile(
      name: "map.txt", size: 4, sha256: String(repeating: "b", count: 64), mediaType: "text/plain")
    _ = try await fixture.ledger.publish(files: [file], of: TestLedger.coins, app: TestLedger.app, by: "olga")
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    for (stated, percentage, count) in [(12, nil, 0), (10, 40_000, 1)] as [(Int64, Int64?, Int)] {
      var purchase = TestLedger.purchase(TestLedger.coins, 1)
      purchase.revocation = ProvenPurchase.Revocation(
        date: TestLedger.start.adding(seconds: 10), percentage: percentage)
      _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: stated))
      let deliveries = try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app)
      #expect(deliveries.filter { $0.ended == nil }.count == count)
    }
    try await fixture.database.close()
  }
}
