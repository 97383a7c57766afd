import GRDB
import StoreModel

/// The lasting identity of a customer. A customer who is added under the name of one who was deleted has another number.
///
/// Numbers grow and are never used again within an epoch. Customers whom the version before added have negative ones.
struct CustomerNumber: RawRepresentable, Hashable, Sendable {
  let rawValue: Int64

  /// Whether this customer was added before customers had numbers.
  var isOfEarlierVersion: Bool { rawValue < 0 }

  /// The number of the customer who has that name now; nil where there is none.
  static func find(
    _ name: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> CustomerNumber? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT number FROM customer WHERE environment = ? AND name = ?"),
      arguments: [environment.rawValue, name.rawValue]
    ).map(CustomerNumber.init(rawValue:))
  }

  /// Gives a customer who was just inserted the next number.
  static func assign(to customer: Customer, in database: Database) throws {
    guard
      let next = try Int64.fetchOne(
        database.cachedStatement(
          sql: "UPDATE store SET nextCustomerNumber = nextCustomerNumber + 1 RETURNING nextCustomerNumber"))
    else { throw AppStoreEmulatorError.storeNotCreated }
    try database.cachedStatement(sql: "UPDATE customer SET number = ? WHERE environment = ? AND name = ?").execute(
      arguments: [next - 1, customer.environment.rawValue, customer.name.rawValue])
  }
}
