import GRDB
import StoreModel

/// One line of the customer's bank statement. Never changed, never deleted.
public struct Charge: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public let transactionID: TransactionID
  public let environment: StoreEnvironment
  public let account: AccountName
  public let bundleID: BundleID
  public let productID: ProductID
  public let amount: Milliunits
  /// An ISO 4217 code.
  public let currency: String
  public let date: StoreDate
}
