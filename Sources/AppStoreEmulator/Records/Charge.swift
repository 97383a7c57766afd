import GRDB
import StoreModel

/// A charge to the customer. It is never changed or deleted.
public struct Charge: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public let transactionID: TransactionID
  /// The order, as the customer's invoice shows it. Each charge is an order of its own.
  public let orderID: String
  public let environment: StoreEnvironment
  public let account: AccountName
  public let bundleID: BundleID
  public let productID: ProductID
  public let amount: Milliunits
  /// An ISO 4217 code.
  public let currency: String
  public let date: StoreDate
}
