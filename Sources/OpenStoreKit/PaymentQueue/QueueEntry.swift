import Foundation
import StoreModel

/// One line of the payment journal: a payment of this app, or a transaction that reached it without one.
struct QueueEntry: Hashable, Sendable {
  /// The order in which entries came; also the entry's name within this installation. Negative for an entry
  /// that could not be written and lives in memory only.
  let sequence: Int64
  let payment: PaymentRequest
  var state: PaymentState
}
