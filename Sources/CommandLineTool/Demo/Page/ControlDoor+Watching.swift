import Foundation

// What the tour wants to know of the store's books.
extension ControlDoor {
  /// The transaction that was made last; nil for none.
  func newestTransaction() async throws -> Transaction? {
    let answer: [String: [Transaction]] = try await answer("GET", "control/v1/transactions?limit=1")
    return answer["transactions"]?.first
  }

  /// Whether anything was refunded.
  func hasRefund() async throws -> Bool {
    struct Refund: Decodable {}
    let answer: [String: [Refund]] = try await answer("GET", "control/v1/refunds?limit=1")
    return answer["refunds"]?.isEmpty == false
  }
}
