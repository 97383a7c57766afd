import GRDB
import StoreModel

/// A refused payment that is bought, as a transaction of its own, once its customer's payment method is valid again.
struct InterruptedPurchase: Codable, FetchableRecord, PersistableRecord {
  let installationID: InstallationID
  let paymentID: PaymentID
  /// When it is bought; nil while the payment method is not valid.
  var dueDate: StoreDate?
}
