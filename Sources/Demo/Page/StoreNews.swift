import ControlAPI
import StoreModel

/// Finds the records that the store has made since the last look. Only these are events of the tour: older records must
/// not complete stations of a tour that was restarted.
struct StoreNews: Sendable {
  private var known: Set<TransactionID> = []
  private var refunds = 0
  private var received: Set<String> = []

  /// Returns the events of new records.
  ///
  /// - Parameters:
  ///   - newest: the store's newest transactions.
  ///   - refunds: all refunds and their reversals.
  ///   - notifications: the newest notifications.
  mutating func events(
    in newest: [TransactionView], _ refunds: [RefundView], _ notifications: [NotificationView]
  ) -> [DemoEvent] {
    let sold = newest.filter { !known.contains($0.transactionId) }
    known = Set(newest.map(\.transactionId))
    let count = refunds.filter { !($0.amount < .zero) }.count
    let isRefunded = count > self.refunds
    self.refunds = count
    let sent = notifications.filter { $0.state == .sent }
    let new = sent.filter { !received.contains($0.uuid) }
    received = Set(sent.map(\.uuid))
    return sold.map { .sold(quantity: $0.quantity) } + (isRefunded ? [.refunded] : [])
      + new.map { notification in
        let transaction = newest.first { $0.transactionId == notification.transactionId }
        return .notified(notification.type, product: transaction?.productId.rawValue)
      }
  }
}
