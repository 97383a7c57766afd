import Foundation
import StoreModel

/// Decides which of two receipts of the same second is newer. Creation dates of receipts have whole seconds.
///
/// A receipt is newer than the stored receipt if it was requested after the stored receipt had been stored. If it was
/// requested earlier, the contents decide: see ``isNewer(_:waiting:)``. Receipts that an earlier process stored are
/// older than all receipts of this process.
final class ReceiptOrder: Sendable {
  /// The position of a request in the order of requests; see ``requestBegins()``.
  struct Moment: Hashable, Comparable, Sendable {
    fileprivate let number: Int

    static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// Earlier than all requests.
    static let start = Moment(number: 0)
  }

  private struct State: Sendable {
    var lastNumber = 0
    var keptAt = Moment.start
    var listed: Set<TransactionID> = []
  }

  private let state = LockedValue(State())

  /// Called before a request whose answer may contain a receipt.
  func requestBegins() -> Moment {
    state.withLock { state in
      state.lastNumber += 1
      return Moment(number: state.lastNumber)
    }
  }

  /// Called when a receipt has replaced the stored one.
  func kept(_ receipt: VerifiedReceipt) {
    state.withLock { state in
      state.keptAt = Moment(number: state.lastNumber)
      state.listed = receipt.transactionIDs
    }
  }

  /// Whether `receipt` may replace the stored receipt, which was made in the same second.
  ///
  /// True if `receipt` was requested after the stored receipt was kept, or if `receipt` lists every waiting transaction
  /// that the stored receipt lists. Otherwise `receipt` was made before one of those purchases.
  ///
  /// - Parameter waiting: the transactions that the app has not finished yet. Those that the stored receipt does not
  ///   list are ignored: a redelivery has an id that no receipt lists, and receipts of other accounts list other
  ///   purchases.
  func isNewer(_ receipt: VerifiedReceipt, waiting: Set<TransactionID>) -> Bool {
    state.withLock { state in
      receipt.askedAt > state.keptAt || waiting.intersection(state.listed).isSubset(of: receipt.transactionIDs)
    }
  }
}

/// An app receipt that was verified for this device.
struct VerifiedReceipt: Sendable {
  let data: Data
  /// The signed creation date. The receipt with the latest date is stored, even if another one arrives later.
  let creationDate: StoreDate
  /// The transactions that the receipt lists.
  let transactionIDs: Set<TransactionID>
  /// When the receipt was requested.
  let askedAt: ReceiptOrder.Moment
}
