import GRDB
import StoreModel

/// An operator's purchase with a payment id: the request and the transaction.
struct OperatorPurchaseRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "orderedPurchase"

  /// All parameters of the purchase.
  struct Request: Codable, Equatable {
    let bundleID: BundleID
    let environment: StoreEnvironment
    let account: AccountName
    let productID: ProductID
    let quantity: Int
    let applicationUsername: String?
    let installationID: InstallationID?
    let offer: PaymentOffer?

    /// Whether both have the same content, with texts compared as bytes. In contrast, `==` considers canonically equivalent texts
    /// equal.
    func hasContent(of other: Request) -> Bool {
      self == other && (applicationUsername ?? "").hasBytes(of: other.applicationUsername ?? "")
        && (offer?.identifier ?? "").hasBytes(of: other.offer?.identifier ?? "")
    }
  }

  let paymentID: PaymentID
  let request: Request
  let transactionID: TransactionID
}
