import StoreModel

/// The decision how an attempt to send a notification is made. Faults apply to it as to requests; its attempts are recorded with
/// the notification, and not in the request journal.
struct NotificationOperation: StoreOperation {
  let notification: NotificationRow
  let productID: ProductID?
  /// How it is made without a fault.
  let usual: NotificationDelivery

  func metadata(in store: StoreServices) -> RequestMetadata {
    RequestMetadata(
      .notification, environment: notification.environment, bundleID: notification.bundleID,
      customer: notification.account, productIDs: productID.map { [$0] } ?? [],
      transactionID: notification.transactionID)
  }

  func run(in store: StoreServices, _ context: OperationContext) -> NotificationDelivery { usual }

  var unavailable: any Error { StoreConnectionFailure.noAnswer(reason: "a fault makes the server unavailable") }
  var recordedBody: RecordedBody { RecordedBody(json: notification.payload.utf8) }
  static func recordedBody(of answer: NotificationDelivery) -> RecordedBody { RecordedBody(json: "{}".utf8) }
}
