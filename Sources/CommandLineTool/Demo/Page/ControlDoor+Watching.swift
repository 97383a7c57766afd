import Foundation

// What the tour wants to know of the store's books.
extension ControlDoor {
  /// The transactions that were made last, the newest first; several, because many may have been made since somebody looked.
  func newestTransactions() async throws -> [Transaction] {
    let list: TransactionList = try await answer("GET", "control/v1/transactions?limit=50")
    return list.transactions
  }

  /// Whether anything was refunded.
  func hasRefund() async throws -> Bool {
    struct RefundList: Decodable {
      struct Refund: Decodable {}
      let refunds: [Refund]
    }
    let list: RefundList = try await answer("GET", "control/v1/refunds?limit=1")
    return !list.refunds.isEmpty
  }
}
