import GRDB
import StoreModel

/// The permanent identity of a customer. A customer added with the name of a deleted customer has another number.
///
/// Numbers grow, and are never used again within an epoch. Customers of earlier versions, which had no numbers, have
/// negative numbers.
struct CustomerNumber: RawRepresentable, Hashable, Sendable {
  let rawValue: Int64

  /// Whether an earlier version added this customer.
  var isOfEarlierVersion: Bool { rawValue < 0 }
}

/// A row of the table `customer`.
struct StoredCustomer: FetchableRecord, TableRecord {
  static let databaseTableName = "customer"

  let customer: Customer
  let number: CustomerNumber

  init(row: Row) throws {
    customer = try Customer(row: row)
    number = CustomerNumber(rawValue: try row.decode(Int64.self, forColumn: "number"))
  }
}
