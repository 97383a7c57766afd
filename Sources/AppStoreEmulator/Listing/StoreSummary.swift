import GRDB
import StoreModel

/// The identity of the store, and the number of its records.
package struct StoreSummary: Sendable {
  /// The seed of the store's identifiers: chosen by the operator, or random.
  package let seed: UInt64
  package let epoch: StoreEpoch
  package let apps: Int
  package let products: Int
  package let customers: Int
  package let installations: Int
  package let transactions: Int
  package let refunds: Int
  package let subscriptions: Int

  init(_ work: StoreUnitOfWork) throws {
    func count(_ table: String) throws -> Int {
      try Int.fetchOne(work.database, sql: "SELECT count(*) FROM \(table)") ?? 0
    }
    let row = try StoreRow.fetch(work.database)
    seed = UInt64(bitPattern: row.seed)
    epoch = row.epoch
    apps = try count("app")
    products = try count("product")
    customers = try count("customer")
    installations = try count("installation")
    transactions = try count("transactionRecord")
    refunds = try count("refund")
    subscriptions = try count("subscription")
  }
}
