import Foundation
import GRDB
import StoreModel

/// The purchases that the customer began in the App Store, and that no iterator of `PurchaseIntent.intents` has received.
enum PendingIntentTable {
  /// Stores an intent, as part of a commit. An equal one that is stored already keeps its place.
  static func keep(_ intent: IntentUpdate, in database: Database) throws {
    let offer = try intent.offer.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    try database.cachedStatement(
      sql: "INSERT OR IGNORE INTO pendingIntent (productID, offerIdentifier, offer) VALUES (?, ?, ?)"
    ).execute(arguments: [intent.productID.rawValue, intent.offer?.identifier ?? "", offer])
  }
}

extension PaymentJournal {
  /// The intents that no iterator of `PurchaseIntent.intents` has received, as they arose.
  func pendingIntents() throws -> [IntentUpdate] {
    try database.read { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT productID, offer FROM pendingIntent ORDER BY sequence"))
      return try rows.map { row in
        IntentUpdate(
          productID: ProductID(row["productID"]),
          offer: try (row["offer"] as String?).map {
            try JSONDecoder().decode(PaymentOffer.self, from: Data($0.utf8))
          })
      }
    }
  }

  /// Removes an intent that an iterator has received.
  func remove(_ intent: IntentUpdate) throws {
    try database.write { database in
      try database.execute(
        sql: "DELETE FROM pendingIntent WHERE productID = ? AND offerIdentifier = ?",
        arguments: [intent.productID.rawValue, intent.offer?.identifier ?? ""])
    }
  }
}
