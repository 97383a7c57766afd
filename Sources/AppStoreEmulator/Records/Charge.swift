import GRDB
import StoreModel

/// A charge to the customer. It is never changed or deleted.
public struct Charge: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "charge"

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

/// A refund of a ``Charge``. A row with a negative amount is the reversal of a refund. Rows are never changed or
/// deleted.
public struct Refund: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "refund"

  var sequence: Int64?
  public let transactionID: TransactionID
  public let environment: StoreEnvironment
  public let account: AccountName
  public let bundleID: BundleID
  public let productID: ProductID
  public let amount: Milliunits
  /// An ISO 4217 code.
  public let currency: String
  public let date: StoreDate

  init(of stored: StoredTransaction, amount: Milliunits, date: StoreDate) {
    let record = stored.record
    transactionID = record.transactionID
    environment = record.environment
    account = stored.account
    bundleID = record.bundleID
    productID = record.productID
    self.amount = amount
    currency = record.currency
    self.date = date
  }
}
