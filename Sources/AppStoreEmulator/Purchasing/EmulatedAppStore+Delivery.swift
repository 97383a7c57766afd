import Foundation
import GRDB
import SignedData
import StoreModel

/// A transaction together with the date it is signed at: all that signing needs, so that it can be done after the commit.
struct Rendering: Sendable {
  let stored: StoredTransaction
  let signedDate: StoreDate
}

extension EmulatedAppStore {
  func unfinished(from installationID: InstallationID) async throws -> DeliveryBatch {
    let (renderings, contents) = try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let installation = try Self.registered(installationID, in: database)
      if let account = installation.account {
        // A purchase made outside the app belongs to the first installation that asks, and to no other.
        try database.cachedStatement(
          sql: """
            UPDATE transactionRecord SET installationID = ?
            WHERE installationID IS NULL AND finishedDate IS NULL AND account = ? AND bundleID = ? AND environment = ?
            """
        ).execute(arguments: [
          installationID.rawValue, account.rawValue, installation.bundleID.rawValue,
          installation.environment.rawValue,
        ])
      }
      let statement = try database.cachedStatement(
        sql: "SELECT * FROM transactionRecord WHERE installationID = ? AND finishedDate IS NULL ORDER BY sequence")
      let stored = try StoredTransaction.fetchAll(statement, arguments: [installationID.rawValue])
      return (
        try stored.map { try self.render($0, now: now, in: database) },
        try self.receiptContents(for: installation, now: now, in: database)
      )
    }
    return try batch(renderings, contents)
  }

  func finish(_ transaction: TransactionID, from installationID: InstallationID) async throws {
    try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let installation = try Self.registered(installationID, in: database)
      try database.cachedStatement(
        sql: """
          UPDATE transactionRecord SET finishedDate = coalesce(finishedDate, ?)
          WHERE transactionID = ? AND installationID = ?
          """
      ).execute(arguments: [
        now.millisecondsSince1970, transaction.rawValue, installation.installationID.rawValue,
      ])
      guard database.changesCount == 1 else {
        throw StoreRefusal(.unknownTransaction, "Transaction \(transaction) was not delivered to this installation.")
      }
    }
  }

  func render(_ stored: StoredTransaction, now: StoreDate, in database: Database) throws -> Rendering {
    Rendering(stored: stored, signedDate: try StoreRow.takeSignedDate(database, now: now))
  }

  func batch(_ renderings: [Rendering], _ contents: AppReceiptContents?) throws -> DeliveryBatch {
    let deliveries = try renderings.map { rendering in
      TransactionDelivery(
        paymentID: rendering.stored.paymentID,
        signedTransaction: try authority.signTransaction(
          SignedTransaction(record: rendering.stored.record, signedDate: rendering.signedDate)),
        applicationUsername: rendering.stored.record.applicationUsername)
    }
    return DeliveryBatch(deliveries: deliveries, receipt: try contents.map { try sign($0) })
  }

  static func transaction(_ id: TransactionID, in database: Database) throws -> StoredTransaction {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw StoreRefusal(.temporarilyUnavailable, "Transaction \(id) is missing from the store's books.")
    }
    return stored
  }
}
