import Foundation
import StoreKit

/// What the customer has received of consumable products. StoreKit does not list them after they are finished, so the app
/// stores them itself.
///
/// An app would write it to a file, or send it to its server.
public final class Shelf: Sendable {
  private let lock = NSLock()
  private nonisolated(unsafe) var creditsByTransaction: [UInt64: Int] = [:]

  public init() {}

  /// The credits for audiobooks.
  public var credits: Int { lock.withLock { creditsByTransaction.values.reduce(0, +) } }

  /// Stores a purchase of credits. A transaction counts once, because it is delivered again if the app ends before it has
  /// finished it. A refunded one does not count.
  func keep(_ transaction: StoreKit.Transaction) {
    lock.withLock {
      creditsByTransaction[transaction.id] =
        transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
    }
  }
}
