import StoreModel

/// Thrown when a ledger refuses an operation. Nothing was changed, except by earlier parts of a redemption of many purchases.
public enum LedgerError: DescribedError, Hashable, Sendable {
  /// The ledger was created for other trust anchors. One ledger cannot hold both Apple's and an emulator's purchases.
  case otherAnchors(stamped: String, given: String)
  /// The app is not configured.
  case unknownApp(BundleID)
  /// The product was never published.
  case unknownProduct(ProductID)
  /// There is no offering with this id.
  case unknownOffering(OfferingID)
  /// The customer does not exist, was erased, or was joined to another customer. The caller has to sign in again.
  case unknownCustomer(CustomerID)
  /// The bearer token is unknown or was revoked.
  case tokenRefused
  /// The proof may be older than the installation that sends it. A proof that the app requests after this number of seconds is
  /// newer.
  case proofNotNewer(retryAfterSeconds: Int)
  case insufficientCredits(balance: Int64, requested: Int64)
  /// Spending is blocked because spent credits were refunded. An operator has to lift the block.
  case spendingBlocked
  /// The key was already used for a spend or grant with other values.
  case keyReused(String)
  case amountOutOfRange(Int64)
  /// A value in the request is not valid.
  case invalid(String)
  /// A customer has the product, so its type cannot change. Claims depend on the type.
  case productTypeFixed(ProductID, ProductType)
  /// No customer has claimed the purchase.
  case unknownClaim(TransactionID)
  case unknownDelivery
  /// The delivery has ended: the purchase was refunded, moved to another customer, or revoked, or its access has expired.
  case deliveryEnded
  case unknownOperatorKey
  /// The operator's key has not the role that the operation needs.
  case roleRequired(OperatorRole)
  /// The key is the last one with the role `admin` that is not revoked.
  case lastAdminKey
  /// No notification with this `notificationUUID` was received in the last 180 days.
  case unknownNotification(String)
  case unknownWebhook(String)
  /// The webhook has no message with this number. Delivered messages are kept for 30 days, dead ones for 180 days.
  case unknownWebhookDelivery(Int64)
  /// The message is not delivered or dead, so it cannot be sent again.
  case webhookDeliveryNotSettled
  /// The ledger has as many webhooks as it may have.
  case tooManyWebhooks(limit: Int)
  /// A cursor of events is of another ledger, or of a time that this copy of the ledger has lost.
  case unknownCursor
  /// There is no request for information about consumption with this `notificationUUID`.
  case unknownConsumptionRequest(String)
  /// The request for information about consumption does not wait for an operator's answer.
  case consumptionRequestNotWaiting(ConsumptionState)

  public var description: String {
    switch self {
    case .otherAnchors(let stamped, let given):
      "This ledger was made for the trust anchors \(stamped), not for \(given). Use another database, or the store it was made for."
    case .unknownApp(let app): "The app \(app) is not known here. Add it to the server's configuration."
    case .unknownProduct(let product): "The product \(product) was not published. Publish it first."
    case .unknownOffering(let id): "There is no offering \(id). List them again."
    case .unknownCustomer:
      "There is no such customer: never registered, erased, or joined to another one. An app registers or signs in again; an "
        + "operator finds the present customer by a purchase's transaction id."
    case .tokenRefused: "The token is not known, or was revoked. Register this installation again."
    case .proofNotNewer(let seconds):
      "The proof may be older than this installation. Refresh the receipt in \(seconds) seconds, and send the request again."
    case .insufficientCredits(let balance, let requested):
      "The balance is \(balance); \(requested) credits were asked for."
    case .spendingBlocked:
      "Spending is blocked: credits were refunded after they had been spent. Ask the operator to lift it."
    case .keyReused(let key): "The key \(key) was used before for something else. Use a new key for something new."
    case .amountOutOfRange(let amount): "\(amount) is out of range: 1 to \(CreditAmount.largest)."
    case .invalid(let what): what
    case .productTypeFixed(let product, let type):
      "The product \(product) is \(type.rawValue), and customers have it: its type cannot change. Publish another product."
    case .unknownClaim(let id):
      "No customer has claimed the purchase \(id) here. Look it up by its original transaction id."
    case .unknownDelivery: "There is no such delivery."
    case .deliveryEnded: "The delivery has ended: it was refunded, revoked, or moved to another customer."
    case .unknownOperatorKey: "The operator key is not known, or was revoked."
    case .roleRequired(let role): "This needs a key with the role \(role.rawValue)."
    case .lastAdminKey: "This is the last key with the role admin. Create another one first."
    case .unknownWebhook: "There is no such webhook. List them again."
    case .unknownWebhookDelivery: "The webhook has no such message, or it was removed by its age. List them again."
    case .webhookDeliveryNotSettled: "The message is still to be sent. Only a delivered or dead one can be sent again."
    case .tooManyWebhooks(let limit): "There are \(limit) webhooks. Remove one first."
    case .unknownCursor:
      "The cursor is of another ledger, or of a time that was lost when the ledger was restored. Begin again without a cursor."
    case .unknownNotification: "No notification with this notificationUUID was received in the last 180 days."
    case .unknownConsumptionRequest: "There is no consumption request with this notificationUUID. List them again."
    case .consumptionRequestNotWaiting(let state):
      "This consumption request does not wait for an answer: its state is \(state.rawValue)."
    }
  }
}
