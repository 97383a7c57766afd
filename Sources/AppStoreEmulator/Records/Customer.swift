import GRDB
import StoreModel

/// A customer of the store: an account in one environment.
public struct Customer: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "customer"

  public let environment: StoreEnvironment
  public let name: AccountName
  /// The password. It is test data, and stored in plain text so that the console can show it. If nil, the customer
  /// signs in with any password or none.
  public var password: String?
  public var storefrontCountryCode: String
  public var paymentMethod: PaymentMethod
  /// Whether every payment needs approval (Ask to Buy).
  public var needsApproval: Bool
  /// The name of the family with which the customer shares purchases; nil if there is none.
  public var family: String?

  /// Whether the customer's payment method can be charged.
  public enum PaymentMethod: String, Hashable, Codable, Sendable, CaseIterable {
    case valid
    case declined
    /// The customer must first do something in the App Store, such as accept new terms or replace an expired card.
    /// Purchases are interrupted: they fail, and are made as separate transactions once this is ``valid`` again.
    case needsAttention
  }

  public init(
    environment: StoreEnvironment, name: AccountName, password: String? = nil, storefrontCountryCode: String = "USA",
    paymentMethod: PaymentMethod = .valid, needsApproval: Bool = false,
    family: String? = nil
  ) {
    self.environment = environment
    self.name = name
    self.password = password
    self.storefrontCountryCode = storefrontCountryCode
    self.paymentMethod = paymentMethod
    self.needsApproval = needsApproval
    self.family = family
  }
}

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
