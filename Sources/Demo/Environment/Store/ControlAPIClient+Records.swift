import ControlAPI
import Foundation
import StoreModel

// The queries of the script.
extension ControlAPIClient {
  func connection() async throws -> ConnectionView {
    try await call(ControlEndpoints.connection, query: ConnectionQuery()).value
  }

  /// Returns the app receipt of a transaction's customer, as the store issues it now.
  func receipt(of transaction: TransactionID) async throws -> Data {
    try await call(ControlEndpoints.proofs, path: TransactionPath(transaction), query: ProofsQuery()).value.appReceipt
  }

  /// Returns the newest transactions, as many as fit into one answer, oldest first.
  func transactions() async throws -> [TransactionView] {
    try await call(ControlEndpoints.transactions, query: TransactionQuery()).value.transactions.reversed()
  }

  /// Returns all charges, oldest first.
  ///
  /// - Throws: ``DemoFailure`` if there may be more charges than a single answer can list.
  func charges() async throws -> [ChargeView] {
    let charges = try await call(ControlEndpoints.charges, query: RecordQuery()).value.charges
    guard charges.count < 1_000 else { throw DemoFailure("There are more charges than one response lists.") }
    return charges.reversed()
  }

  /// A response of `verifyReceipt`.
  struct Verification: Decodable, Sendable {
    struct Receipt: Decodable, Sendable {
      let inApp: [[String: String]]

      private enum CodingKeys: String, CodingKey { case inApp = "in_app" }
    }

    let status: Int
    let environment: String?
    let receipt: Receipt?
  }

  func verifyReceipt(_ receipt: Data, environment: String) async throws -> Verification {
    let body = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    return try read(try await document("POST", "\(environment)/verifyReceipt", body))
  }
}
