import Foundation
import StoreKit

/// The credits that the customer has bought. Credits are consumable: StoreKit does not list them after they are finished, so
/// the app stores them itself.
///
/// This one is in memory. A real app writes it to a file, or sends it to its server, before ``record(_:)`` returns.
public final class CreditLedger: Sendable {
  private let lock = NSLock()
  private nonisolated(unsafe) var creditsByTransaction: [UInt64: Int] = [:]

  public init() {}

  /// The credits for audiobooks.
  public var balance: Int { lock.withLock { creditsByTransaction.values.reduce(0, +) } }

  /// Records a purchase of credits, or its refund. A transaction counts once: it is delivered again if the app ends before it
  /// has finished it. A refunded transaction does not count.
  func record(_ transaction: StoreKit.Transaction) {
    lock.withLock {
      creditsByTransaction[transaction.id] =
        transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
    }
  }
}
