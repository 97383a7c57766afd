import StoreKit

/// Payments that customers began in the App Store and that could not go on at once.
///
/// Apple's `SKPayment` is not `Sendable`; the payments here are immutable ones of the store's.
struct PendingStorePayments: @unchecked Sendable {
  /// In the order in which they arrived.
  private(set) var all: [SKPayment] = []

  /// - Returns: false if the payment is in the list already.
  mutating func add(_ payment: SKPayment) -> Bool {
    guard !all.contains(where: { $0 === payment }) else { return false }
    all.append(payment)
    return true
  }

  /// - Returns: false if the payment is not in the list.
  mutating func remove(_ payment: SKPayment) -> Bool {
    guard let index = all.firstIndex(where: { $0 === payment }) else { return false }
    all.remove(at: index)
    return true
  }
}
