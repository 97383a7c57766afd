import GRDB
import StoreModel

/// A purchase on a customer's behalf that was given a payment id: what was ordered under it, and what came of it.
struct OrderedPurchase: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "orderedPurchase"

  /// All that decides what is bought, for whom, and where it is delivered.
  struct Order: Codable, Equatable {
    let bundleID: BundleID
    let environment: StoreEnvironment
    let account: AccountName
    let productID: ProductID
    let quantity: Int
    let applicationUsername: String?
    let installationID: InstallationID?
  }

  let paymentID: PaymentID
  let request: Order
  let transactionID: TransactionID
}
