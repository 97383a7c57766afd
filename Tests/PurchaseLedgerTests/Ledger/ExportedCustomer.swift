import Foundation

@testable import PurchaseLedger

extension Ledger {
  /// Returns the whole document of an export.
  func exported(_ customer: CustomerID) async throws -> CustomerExport {
    try JSONDecoder().decode(CustomerExport.self, from: try await exportedJSON(customer))
  }

  func exportedJSON(_ customer: CustomerID) async throws -> Data {
    var json = Data()
    try await export(customer).write { json.append($0) }
    return json
  }
}
