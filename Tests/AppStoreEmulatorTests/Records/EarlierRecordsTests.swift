import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Records of the version before the list could be searched", .timeLimit(.minutes(30)))
struct EarlierRecordsTests {
  /// Returns a snapshot of `shop` with the schema of the earlier version, changed by `edit`.
  private func earlierSnapshot(
    of shop: TeaShop, _ edit: (Database) throws -> Void = { _ in }
  ) async throws -> Data {
    try TeaShop.edited(try await shop.store.snapshot()) { database in
      try database.execute(
        sql: """
          DROP INDEX transactionRecordListed;
          DROP INDEX redeliveryOfRecord;
          DROP INDEX refundOfCustomer;
          DROP INDEX transactionRecordRevoked;
          DROP INDEX transactionRecordOrder;
          DROP INDEX paymentOfCustomer;
          ALTER TABLE transactionRecord DROP COLUMN searchText;
          ALTER TABLE payment DROP COLUMN approvalDate;
          DELETE FROM grdb_migrations WHERE identifier IN ('5 listing', '13 records of customers');
          """)
      try edit(database)
    }
  }

  @Test("what they hold is found, as if it had been bought today")
  func found() async throws {
    let shop = try await TeaShop()
    let token = "6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F"
    try await shop.buy(as: "one", username: token, on: try await shop.phone())
    try await shop.buy(TeaShop.sencha, as: "two", username: "Zoë", on: try await shop.phone())
    let (before, snapshot) = (try await shop.store.transactions(), try await earlierSnapshot(of: shop))
    try await shop.store.restore(snapshot)
    #expect(try await shop.store.transactions() == before)
    #expect(before.count == 2)
    for (text, transaction) in [("ZOË", before[0]), ("sencha", before[0]), (token.lowercased(), before[1])] {
      #expect(try await shop.store.transactions(.init(search: text)) == [transaction], "\(text)")
    }
  }

  @Test("what cannot be read in them is refused, and changes nothing")
  func damaged() async throws {
    let shop = try await TeaShop()
    try await shop.buy(as: "one", on: try await shop.phone())
    let snapshot = try await earlierSnapshot(of: shop) {
      try $0.execute(sql: "UPDATE transactionRecord SET productID = x'FF00FF', appAccountToken = 7, account = x'80'")
    }
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.restore(snapshot) }
    #expect(try await shop.records() == before)
  }
}
