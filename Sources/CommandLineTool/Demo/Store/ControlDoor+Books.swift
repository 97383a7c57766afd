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
    struct ChargeList: Decodable {
      let charges: [Charge]
      /// There where there are more.
      let next: Int64?
    }
    let list: ChargeList = try await answer("GET", "control/v1/charges?limit=1000")
    guard list.next == nil else { throw DemoFailure("There are more charges than are told at once.") }
    return list.charges.reversed()
  }

  func verifyReceipt(_ receipt: Data, environment: String) async throws -> Verification {
    let question = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    return try await answer("POST", "\(environment)/verifyReceipt", question)
  }
}
