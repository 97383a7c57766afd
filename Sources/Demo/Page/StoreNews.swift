import ControlAPI
import StoreModel

/// Finds the records that the store has made since the last look. Only these are events of the tour: older records must
/// not complete stations of a tour that was restarted.
struct StoreNews: Sendable {
  private var known: Set<TransactionID> = []
  private var refunds = 0

  /// Returns the events of new records.
  ///
  /// - Parameters:
  ///   - newest: the store's newest transactions.
  ///   - refunds: all refunds and their reversals.
  mutating func events(in newest: [TransactionView], _ refunds: [RefundView]) -> [DemoEvent] {
    let sold = newest.filter { !known.contains($0.transactionId) }
    known = Set(newest.map(\.transactionId))
    let count = refunds.filter { !($0.amount < .zero) }.count
    let isRefunded = count > self.refunds
    self.refunds = count
    return sold.map { .sold(quantity: $0.quantity) } + (isRefunded ? [.refunded] : [])
  }
}
