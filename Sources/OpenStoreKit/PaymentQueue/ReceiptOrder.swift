import StoreModel

/// Which of two receipts of the same second is newer. Receipts give their date in whole seconds only.
///
/// A request that was sent after a receipt had been kept brings a newer one. Where the two requests overlapped, the
/// content decides: see ``isNewer(_:waiting:)``. What an earlier process kept is older than whatever this one asks for.
final class ReceiptOrder: Sendable {
  /// When a receipt was asked for; see ``requestBegins()``.
  struct Moment: Hashable, Comparable, Sendable {
    fileprivate let number: Int

    static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// Before every other moment.
    static let start = Moment(number: 0)
  }

  private struct State: Sendable {
    var lastNumber = 0
    var keptAt = Moment.start
    var listed: Set<TransactionID> = []
  }

  private let state = LockedValue(State())

  /// To be called before a request is sent whose answer may bring a receipt.
  func requestBegins() -> Moment {
    state.withLock { state in
      state.lastNumber += 1
      return Moment(number: state.lastNumber)
    }
  }

  /// To be called when a receipt has taken the place of the one before.
  func kept(_ receipt: VerifiedReceipt) {
    state.withLock { state in
      state.keptAt = Moment(number: state.lastNumber)
      state.listed = receipt.transactionIDs
    }
  }

  /// Whether `receipt` may take the place of the one that is kept and was made in the same second.
  ///
  /// - Parameter waiting: the transactions the app has yet to finish. A receipt that lacks one of them which the kept
  ///   receipt lists was made before that was bought. Only listed ones count: a product that is bought again waits
  ///   under an id that no receipt lists, and other accounts' receipts list other purchases.
  func isNewer(_ receipt: VerifiedReceipt, waiting: Set<TransactionID>) -> Bool {
    state.withLock { state in
      receipt.askedAt > state.keptAt || waiting.intersection(state.listed).isSubset(of: receipt.transactionIDs)
    }
  }
}
