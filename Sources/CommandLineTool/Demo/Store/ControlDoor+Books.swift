import Foundation

// Looking into the store.
extension ControlDoor {
  func connection() async throws -> Connection { try await answer("GET", "control/v1/connection") }

  /// Oldest first.
  func transactions() async throws -> [Transaction] {
    let list: TransactionList = try await answer("GET", "control/v1/transactions")
    return list.transactions.reversed()
  }

  /// Oldest first.
  func charges() async throws -> [Charge] {
    let answer: [String: [Charge]] = try await answer("GET", "control/v1/charges")
    return Array((answer["charges"] ?? []).reversed())
  }

  func verifyReceipt(_ receipt: Data, environment: String) async throws -> Verification {
    let question = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    return try await answer("POST", "\(environment)/verifyReceipt", question)
  }
}
