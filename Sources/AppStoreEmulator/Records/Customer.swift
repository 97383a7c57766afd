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
  /// Whether somebody else has to approve every payment (Ask to Buy).
  public var needsApproval: Bool
  /// The name of the family the customer shares purchases with; nil for none.
  public var family: String?

  /// Whether the customer's bank pays.
  public enum PaymentMethod: String, Hashable, Codable, Sendable, CaseIterable {
    case valid
    case declined
    /// The customer has something to settle with the store first, such as new terms or an expired card. A purchase is
    /// interrupted: it fails, and is made as a transaction of its own once this is ``valid`` again.
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
