import Foundation
import Testing

@testable import PurchaseKit

@Suite("The proofs that a device keeps for a restored ledger", .timeLimit(.minutes(30)))
struct LedgerCreditRecordsTests {
  private let records: LedgerCreditRecords
  private let noon = Date(timeIntervalSince1970: 1_764_244_800)

  init() throws { records = try LedgerCreditRecords(at: nil) }

  private func buy(_ id: String, daysLater days: Double) throws {
    let purchase = RedeemablePurchase(
      transactionIdentifier: id, productIdentifier: "coins", date: noon.addingTimeInterval(days * 86_400),
      proof: .appReceipt(Data(id.utf8)))
    try records.keep(purchase, of: "coins", owner: "", incarnation: "1", retention: 180 * 86_400)
  }

  private func kept() throws -> [String] {
    try records.unconfirmed(of: "coins", in: "2", oldest: noon) { _, _ in true }.purchases.map(\.transactionIdentifier)
  }

  @Test("B9 a proof is kept until it is 180 days older than the newest purchase, by the store's dates only")
  func age() throws {
    try buy("1", daysLater: 0)
    try buy("2", daysLater: 180)
    #expect(try kept() == ["1", "2"])
    try buy("3", daysLater: 181)
    #expect(try kept() == ["2", "3"])
    // A purchase that is redeemed late is not older than the newest by this alone.
    try buy("4", daysLater: 100)
    #expect(try kept() == ["4", "2", "3"])
  }
}
