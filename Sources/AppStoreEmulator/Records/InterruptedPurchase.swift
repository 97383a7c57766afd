import GRDB
import StoreModel

/// A refused payment that is bought in a separate transaction once the customer's payment method is valid again.
struct InterruptedPurchase: Codable, FetchableRecord, PersistableRecord {
  let installationID: InstallationID
  let paymentID: PaymentID
  /// The date at which it is bought; nil while the payment method is not valid.
  var dueDate: StoreDate?
}
