import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("The order of app receipts in the payment journal", .timeLimit(.minutes(30)))
struct ReceiptOrderTests {
  /// How a receipt reaches the device.
  enum Way: CaseIterable { case byItself, withUnfinished, withAnswer }

  private func receipt(
    _ name: String, made milliseconds: Int64, listing transactions: Set<TransactionID> = []
  ) -> VerifiedReceipt {
    VerifiedReceipt(
      data: Data(name.utf8), creationDate: StoreDate(millisecondsSince1970: milliseconds),
      transactionIDs: transactions, askedAt: .start)
  }

  private func keep(_ receipt: VerifiedReceipt, coming way: Way, in journal: PaymentJournal) throws {
    switch way {
    case .byItself: try journal.keep(receipt)
    case .withUnfinished: _ = try journal.accept(unfinished: [], receipt: receipt)
    case .withAnswer:
      // The answer to a payment that is no longer in the journal. Its receipt is kept nevertheless.
      let arrival = PaymentJournal.Arrival.of(payment: "gone", product: "tea", transaction: 1)
      _ = try journal.accept(arrival, answering: 99, paidBy: "ada", receipt: receipt)
    }
  }

  @Test(
    "B2 the later made is kept, whichever arrives last and however they come", arguments: Way.allCases, Way.allCases)
  func order(first: Way, second: Way) throws {
    let (earlier, later) = (receipt("earlier", made: 1_000), receipt("later", made: 1_001))
    for receipts in [[earlier, later], [later, earlier]] {
      let journal = try PaymentJournal.inMemory()
      #expect(try journal.receipt() == nil)
      try keep(receipts[0], coming: first, in: journal)
      #expect(try journal.receipt() == receipts[0].data)
      try keep(receipts[1], coming: second, in: journal)
      #expect(try journal.receipt() == later.data)
    }
  }

  @Test("of two made at the same instant the last to arrive is kept")
  func sameInstant() throws {
    let journal = try PaymentJournal.inMemory()
    try journal.keep(receipt("one", made: 1_000))
    try journal.keep(receipt("two", made: 1_000))
    #expect(try journal.receipt() == Data("two".utf8))
  }

  @Test(
    "B2 of two made at the same instant, one without a purchase that waits to be finished was made before it",
    arguments: Way.allCases)
  func sameInstantWithoutThePurchase(_ way: Way) throws {
    let journal = try PaymentJournal.inMemory()
    let arrival = PaymentJournal.Arrival.of(payment: "mine", product: "tea", transaction: 7)
    try journal.keep(receipt("before", made: 1_000))
    let entries = try journal.accept(
      unfinished: [arrival], receipt: receipt("with it", made: 1_000, listing: [TransactionID(7)]))
    #expect(entries.count == 1)

    try keep(receipt("of before, but late", made: 1_000), coming: way, in: journal)
    #expect(try journal.receipt() == Data("with it".utf8))
    try keep(
      receipt("with more", made: 1_000, listing: [TransactionID(7), TransactionID(8)]), coming: way, in: journal)
    #expect(try journal.receipt() == Data("with more".utf8))
    // A later receipt without the purchase was made after the purchase was finished or revoked.
    try keep(receipt("later", made: 2_000), coming: way, in: journal)
    #expect(try journal.receipt() == Data("later".utf8))
  }

  @Test(
    "D3 what is owned and bought again waits under an id that no receipt lists: a newer receipt of the same instant is kept",
    arguments: Way.allCases)
  func sameInstantWithRedelivery(_ way: Way) throws {
    let journal = try PaymentJournal.inMemory()
    var again = PaymentJournal.Arrival.of(payment: "mine", product: "sepia", transaction: 9)
    again.isRedelivered = true
    _ = try journal.accept(
      unfinished: [again], receipt: receipt("with sepia", made: 1_000, listing: [TransactionID(7)]))
    try keep(
      receipt("with more", made: 1_000, listing: [TransactionID(7), TransactionID(10)]), coming: way, in: journal)
    #expect(try journal.receipt() == Data("with more".utf8))
  }

  @Test("in another epoch the store's clock may be behind: its receipts count from then on")
  func anotherEpoch() throws {
    let journal = try PaymentJournal.inMemory()
    let cursor = ChangeCursor(rawValue: 0)
    _ = try journal.adopt(epoch: "1000000000", rootFingerprints: ["A", "B"], changeCursor: cursor)
    try journal.keep(receipt("of the first", made: 2_000))
    #expect(try journal.adopt(epoch: "2000000000", rootFingerprints: ["A", "B"], changeCursor: cursor))
    try journal.keep(receipt("of the second", made: 1_000))
    #expect(try journal.receipt() == Data("of the second".utf8))
  }
}
