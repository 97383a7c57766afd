import Foundation
import GRDB
import SignedData
import StoreModel

/// A transaction together with all that signing it needs, so that it can be signed after the commit.
struct Rendering: Sendable {
  let provision: Provision
  /// The record of its original transaction, where it is delivered once more.
  let original: TransactionRecord?
  let signedDate: StoreDate
  /// Where it is delivered; named in its legacy receipt.
  let installation: Installation
  let appAppleID: Int64
  let identity: InventedIdentity
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
            WHERE installationID IS NULL AND finishedDate IS NULL AND \(TransactionRecord.isDeliverableSQL)
              AND account = ? AND bundleID = ? AND environment = ?
            """
        ).execute(arguments: [
          installationID.rawValue, account.rawValue, installation.bundleID.rawValue,
          installation.environment.rawValue,
        ])
        try Self.takeOver(for: installation, of: account, in: database)
      }
      let provisions = try Self.unfinishedProvisions(on: installationID, in: database)
      return (
        try self.render(provisions, for: installation, now: now, in: database),
        try self.receiptContents(for: installation, now: now, in: database)
      )
    }
    return try await batch(renderings, contents)
  }

  /// An app is on a device once: what an earlier installation of it there left unfinished is for the one that came in its place, once
  /// the account that paid is signed in. It answers none of that one's payments.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  static func takeOver(for installation: Installation, of account: AccountName, in database: Database) throws -> Bool {
    try database.cachedStatement(
      sql: """
        UPDATE transactionRecord SET installationID = ?1, paymentID = NULL
        WHERE finishedDate IS NULL AND \(TransactionRecord.isDeliverableSQL) AND account = ?2 AND installationID IN (
          SELECT earlier.installationID FROM installation AS earlier, installation AS later
          WHERE later.installationID = ?1 AND earlier.rowid < later.rowid AND earlier.deviceID = later.deviceID
            AND earlier.bundleID = later.bundleID AND earlier.environment = later.environment)
        """
    ).execute(arguments: [installation.installationID.rawValue, account.rawValue])
    return database.changesCount > 0
  }

  func finish(_ transaction: TransactionID, from installationID: InstallationID) async throws {
    try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let installation = try Self.registered(installationID, in: database)
      for table in [StoredTransaction.databaseTableName, Redelivery.databaseTableName] {
        try database.cachedStatement(
          sql: """
            UPDATE \(table) SET finishedDate = coalesce(finishedDate, ?) WHERE transactionID = ? AND installationID = ?
            """
        ).execute(arguments: [
          now.millisecondsSince1970, transaction.rawValue, installation.installationID.rawValue,
        ])
        if database.changesCount == 1 { return }
      }
      throw StoreRefusal(.unknownTransaction, "Transaction \(transaction) was not delivered to this installation.")
    }
  }

  func render(
    _ provisions: [Provision], for installation: Installation, now: StoreDate, in database: Database
  ) throws -> [Rendering] {
    let app = try Self.app(installation.bundleID, in: database)
    let identity = try StoreLife.fetch(database).identity
    return try provisions.map {
      Rendering(
        provision: $0, original: try Self.original(of: $0, in: database),
        signedDate: try StoreRow.takeSignedDate(database, now: now), installation: installation,
        appAppleID: app.appAppleID, identity: identity)
    }
  }

  /// Signs what is delivered, on as many cores as there are: an RSA signature takes longer than all the rest of a
  /// purchase, and a purchase needs two, for its legacy receipt and for the app receipt.
  func batch(_ renderings: [Rendering], _ contents: AppReceiptContents?) async throws -> DeliveryBatch {
    async let receipt = contents.map { try sign($0) }
    let lanes = max(1, min(renderings.count, ProcessInfo.processInfo.activeProcessorCount))
    let deliveries = try await withThrowingTaskGroup(of: [(Int, TransactionDelivery)].self) { group in
      for lane in 0..<lanes {
        group.addTask {
          try stride(from: lane, to: renderings.count, by: lanes).map { ($0, try self.sign(renderings[$0])) }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    return DeliveryBatch(deliveries: deliveries, receipt: try await receipt)
  }

  private func sign(_ rendering: Rendering) throws -> TransactionDelivery {
    let (stored, redelivery) = (rendering.provision.stored, rendering.provision.redelivery)
    // What is signed is the record, also where it is delivered once more.
    let signedTransaction = try authority.signTransaction(
      SignedTransaction(record: stored.record, signedDate: rendering.signedDate))
    guard let redelivery else {
      return TransactionDelivery(
        paymentID: stored.paymentID, signedTransaction: signedTransaction,
        applicationUsername: stored.record.applicationUsername,
        transactionReceipt: try legacyReceipt(of: stored.record, in: rendering))
    }
    return TransactionDelivery(
      paymentID: redelivery.paymentID, signedTransaction: signedTransaction,
      applicationUsername: redelivery.applicationUsername,
      transactionReceipt: try legacyReceipt(
        of: stored.record.redelivered(as: redelivery.transactionID, on: redelivery.date), in: rendering),
      redelivery: TransactionDelivery.Redelivery(
        transactionID: redelivery.transactionID, date: redelivery.date,
        originalReceipt: try rendering.original.map { try legacyReceipt(of: $0, in: rendering) }))
  }

  private static func original(of provision: Provision, in database: Database) throws -> TransactionRecord? {
    guard provision.redelivery != nil else { return nil }
    let record = provision.stored.record
    if record.originalTransactionID == record.transactionID { return record }
    return try transaction(record.originalTransactionID, in: database).record
  }

  static func transaction(_ id: TransactionID, in database: Database) throws -> StoredTransaction {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw StoreRefusal(.temporarilyUnavailable, "Transaction \(id) is missing from the store's books.")
    }
    return stored
  }
}
