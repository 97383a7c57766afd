import GRDB
import StoreModel

/// A refused payment. The store buys its product in a separate transaction once the payment method is valid again.
struct InterruptedPurchase: Codable, FetchableRecord, PersistableRecord {
  let installationID: InstallationID
  let paymentID: PaymentID
  /// The date at which the store buys the product; nil while the payment method is not valid.
  var dueDate: StoreDate?
}
