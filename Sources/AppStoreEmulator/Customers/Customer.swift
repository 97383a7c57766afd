import GRDB
import StoreModel

/// A customer of the store: an account in one environment.
public struct Customer: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public let environment: StoreEnvironment
  public let name: AccountName
  /// Test data, kept as given so that the console can show it. Nil: any password, or none, signs in.
  public var password: String?
  public var storefrontCountryCode: String
  public var paymentMethod: PaymentMethod

  /// Whether the customer's bank pays.
  public enum PaymentMethod: String, Hashable, Codable, Sendable, CaseIterable {
    case valid
    case declined
  }

  public init(
    environment: StoreEnvironment, name: AccountName, password: String? = nil, storefrontCountryCode: String = "USA",
    paymentMethod: PaymentMethod = .valid
  ) {
    self.environment = environment
    self.name = name
    self.password = password
    self.storefrontCountryCode = storefrontCountryCode
    self.paymentMethod = paymentMethod
  }
}
