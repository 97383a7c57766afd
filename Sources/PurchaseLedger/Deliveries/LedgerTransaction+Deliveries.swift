import Foundation
import StoreModel

extension LedgerTransaction {
  /// Returns the id of the source's active delivery. If there is none, begins a delivery with the given id.
  func deliver(
    _ product: ProductID, app: BundleID, source: String, to customer: CustomerID, id: UUID, _ now: StoreDate
  ) throws -> UUID {
    try require(.customer(customer))
    if let known = try deliveryUnderWay(of: product, source: source, to: customer, app) { return known }
    try executeLater(
      "INSERT INTO delivery (id, customer, app, product, source, begun) VALUES ($1, $2, $3, $4, $5, $6)",
      id.uuidString.lowercased(), customer, app, product, source, now)
    return id
  }

  /// Returns the id of the delivery that has not ended; nil if there is none.
  func deliveryUnderWay(
    of product: ProductID, source: String, to customer: CustomerID, _ app: BundleID
  ) throws -> UUID? {
    try row(
      """
      SELECT id FROM delivery WHERE customer = $1 AND app = $2 AND source = $3 AND product = $4 AND ended IS NULL
      """, customer, app, source, product)?.uuid("id")
  }

  /// Ends the deliveries of a source. Their download links become invalid.
  func endDeliveries(of customer: CustomerID, app: BundleID, source: String, _ now: StoreDate) throws {
    try require(.customer(customer))
    try execute(
      "UPDATE delivery SET ended = $4 WHERE customer = $1 AND app = $2 AND source = $3 AND ended IS NULL", customer,
      app, source, now)
  }
}

extension SQLRow {
  func uuid(_ name: String) throws(LedgerDatabaseError) -> UUID {
    guard let uuid = UUID(uuidString: try text(name)) else { throw .unexpectedRow("\(name) is not a UUID") }
    return uuid
  }
}
