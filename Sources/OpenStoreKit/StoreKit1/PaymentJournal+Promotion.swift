import GRDB
import StoreModel

// A product has a row if its visibility or its position is overridden on this device. A column that is not overridden
// is NULL.
extension PaymentJournal {
  func promotionVisibility(of product: ProductID) throws -> SKProductStorePromotionVisibility {
    let visibility = try database.read {
      try Int.fetchOne(
        $0, sql: "SELECT visibility FROM promotedProduct WHERE productID = ?", arguments: [product.rawValue])
    }
    return visibility.flatMap(SKProductStorePromotionVisibility.init(rawValue:)) ?? .default
  }

  func setPromotionVisibility(_ visibility: SKProductStorePromotionVisibility, of product: ProductID) throws {
    try database.write { database in
      try database.execute(
        sql: """
          INSERT INTO promotedProduct (productID, visibility) VALUES (?, ?)
          ON CONFLICT (productID) DO UPDATE SET visibility = excluded.visibility
          """,
        arguments: [product.rawValue, visibility == .default ? nil : visibility.rawValue])
      try Self.forgetWhatIsNotOverridden(in: database)
    }
  }

  /// The products whose position is overridden, in order.
  func promotionOrder() throws -> [ProductID] {
    try database.read {
      try String.fetchAll(
        $0, sql: "SELECT productID FROM promotedProduct WHERE position IS NOT NULL ORDER BY position")
    }.map(ProductID.init(rawValue:))
  }

  /// - Parameter products: the products in order, without duplicates.
  func setPromotionOrder(_ products: [ProductID]) throws {
    try database.write { database in
      try database.execute(sql: "UPDATE promotedProduct SET position = NULL")
      for (position, product) in products.enumerated() {
        try database.execute(
          sql: """
            INSERT INTO promotedProduct (productID, position) VALUES (?, ?)
            ON CONFLICT (productID) DO UPDATE SET position = excluded.position
            """,
          arguments: [product.rawValue, position])
      }
      try Self.forgetWhatIsNotOverridden(in: database)
    }
  }

  private static func forgetWhatIsNotOverridden(in database: Database) throws {
    try database.execute(sql: "DELETE FROM promotedProduct WHERE visibility IS NULL AND position IS NULL")
  }
}
