import Foundation
import GRDB

extension ContentRecords {
  func product(_ id: String) throws -> Product {
    try database.read { database in
      let row = try Row.fetchOne(database, sql: "SELECT * FROM product WHERE id = ?", arguments: [id])
      return row.map { Self.product($0).product } ?? Product()
    }
  }

  func products() throws -> [String: Product] { try allProducts().products }

  /// - Returns: all products, and whether all rows could be read.
  func allProducts() throws -> (products: [String: Product], areWhole: Bool) {
    try database.read { database in
      var products: [String: Product] = [:]
      var areWhole = true
      for row in try Row.fetchAll(database, sql: "SELECT * FROM product") {
        let (product, isWhole) = Self.product(row)
        products[Self.text(in: row, "id") ?? ""] = product
        areWhole = areWhole && isWhole
      }
      return (products, areWhole)
    }
  }

  /// Changes the record of a product, in one commit.
  func update(_ id: String, _ change: (inout Product) -> Void) throws {
    try write { database in
      let row = try Row.fetchOne(database, sql: "SELECT * FROM product WHERE id = ?", arguments: [id])
      var product = row.map { Self.product($0).product } ?? Product()
      change(&product)
      // A pause belongs to a download, so it ends with the download.
      if product.wanted == nil { product.isPaused = false }
      try database.execute(
        sql: """
          INSERT INTO product (id, wanted, current, trouble, end_reason, is_paused) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET wanted = excluded.wanted, current = excluded.current,
            trouble = excluded.trouble, end_reason = excluded.end_reason, is_paused = excluded.is_paused
          """,
        arguments: [
          id, try Self.text(product.wanted), try Self.text(product.current), try Self.text(product.error),
          product.endReason, product.isPaused,
        ])
    }
  }

  /// Reads the columns of a row that can be read; others are treated as missing.
  static func product(_ row: Row) -> (product: Product, isWhole: Bool) {
    var isWhole = true
    func read<Value: Decodable>(_ column: String) -> Value? {
      guard let stored = row[column] as DatabaseValue?, !stored.isNull else { return nil }
      // A column that cannot be read is overwritten when the product is next requested.
      let value: Value? = text(in: row, column).flatMap { try? Self.value($0) }
      if value == nil { isWhole = false }
      return value
    }
    var product = Product(
      wanted: read("wanted"), current: read("current"), error: read("trouble"),
      endReason: text(in: row, "end_reason"),
      // Missing in a row of an earlier version.
      isPaused: (row["is_paused"] as DatabaseValue?).flatMap(Bool.fromDatabaseValue) ?? false)
    // A row of an earlier version can contain a pause without a download.
    if product.wanted == nil { product.isPaused = false }
    if !isWhole, product.wanted == nil, product.current == nil, product.endReason == nil {
      product.error = .recordsDamaged(productIdentifier: text(in: row, "id") ?? "")
    }
    return (product, isWhole)
  }

  private static func text(in row: Row, _ column: String) -> String? {
    (row[column] as DatabaseValue?).flatMap { String.fromDatabaseValue($0) }
  }
}
