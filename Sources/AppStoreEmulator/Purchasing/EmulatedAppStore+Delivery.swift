import Foundation
import GRDB
import SignedData
import StoreModel

/// A transaction together with all that signing it needs, so that it can be signed after the commit.
struct Rendering: Sendable {
  let stored: StoredTransaction
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
        try self.render(stored, for: installation, now: now, in: database),
        try self.receiptContents(for: installation, now: now, in: database)
      )
    }
    return try await batch(renderings, contents)
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

  func render(
    _ stored: [StoredTransaction], for installation: Installation, now: StoreDate, in database: Database
  ) throws -> [Rendering] {
    let app = try Self.app(installation.bundleID, in: database)
    let identity = try StoreLife.fetch(database).identity
    return try stored.map {
      Rendering(
        stored: $0, signedDate: try StoreRow.takeSignedDate(database, now: now), installation: installation,
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
    let record = rendering.stored.record
    return TransactionDelivery(
      paymentID: rendering.stored.paymentID,
      signedTransaction: try authority.signTransaction(
        SignedTransaction(record: record, signedDate: rendering.signedDate)),
      applicationUsername: record.applicationUsername, transactionReceipt: try legacyReceipt(of: rendering))
  }

  static func transaction(_ id: TransactionID, in database: Database) throws -> StoredTransaction {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw StoreRefusal(.temporarilyUnavailable, "Transaction \(id) is missing from the store's books.")
    }
    return stored
  }
}
