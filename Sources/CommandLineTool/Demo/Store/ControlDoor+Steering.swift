import Foundation
import SampleModel

// Steering the store.
extension ControlDoor {
  /// The requests that devices made and that `query` admits.
  func requests(_ query: String) async throws -> [JournaledRequest] {
    struct Journal: Decodable { let requests: [JournaledRequest] }
    let journal: Journal = try await answer("GET", "control/v1/requests?\(query)")
    return journal.requests
  }

  /// Returns once there is a request that `query` admits.
  func waitForRequest(_ query: String) async throws {
    try await repeatUntil { try await !requests(query).isEmpty }
  }

  /// Returns once the fault `id` holds a request.
  func waitUntilHeld(_ id: String) async throws {
    struct Report: Decodable { let waiting: Int }
    try await repeatUntil {
      let report: Report = try await answer("GET", "control/v1/faults/\(id)")
      return report.waiting > 0
    }
  }

  /// The control door tells nothing by itself, so it is asked until it says so.
  func repeatUntil(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<5_000 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw DemoFailure("The store never came to the state that was waited for.")
  }

  func post(_ path: String, _ json: String) async throws { try await change("POST", path, json) }

  func delete(_ path: String) async throws { try await change("DELETE", path, nil) }

  func change(customer json: String) async throws { try await change("PATCH", "customers/sandbox/customer", json) }

  /// - Parameter price: in thousandths of the currency.
  func change(price: Int64, of product: String) async throws {
    try await change(
      "PATCH", "apps/\(SampleCatalog.bundleIdentifier)/products/\(product)", #"{"price": \#(price)}"#)
  }

  /// Has the store sell the same in another app, too.
  func serve(_ app: String) async throws {
    let catalog = String(decoding: Data(PackageResources.SampleApp_storekit), as: UTF8.self)
    try await change("PUT", "apps/\(app)", #"{"configurations": [\#(catalog)]}"#)
  }

  /// Gives the money for a transaction back.
  func refund(_ transaction: String) async throws {
    try await change("POST", "transactions/\(transaction)/refund", "{}")
  }

  /// Decides the one payment that waits for approval.
  func decideApproval(_ decision: String) async throws {
    struct Approvals: Decodable {
      struct Approval: Decodable {
        let installationId: String
        let paymentId: String
      }

      let approvals: [Approval]
    }
    let waiting: Approvals = try await answer("GET", "control/v1/approvals")
    guard let approval = waiting.approvals.first else { throw DemoFailure("No payment waits for approval.") }
    try await change(
      "POST", "approvals/\(approval.installationId)/\(approval.paymentId)", #"{"decision": "\#(decision)"}"#)
  }

  private func change(_ method: String, _ path: String, _ json: String?) async throws {
    // The door demands the type also of what has no body.
    try await expect(method, "control/v1/\(path)", Data((json ?? "").utf8))
  }
}
