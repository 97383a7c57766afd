import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

/// Migration 6 of the payment journal: Documentation/storage.md.
@Suite("The migration for StoreKit 2", .timeLimit(.minutes(5)))
struct JournalMigrationTests {
  private static let lastBefore = "5 changes of transactions"

  private static func part(_ json: String) -> String { Base64.text(Array(json.utf8), .url) }

  /// A journal of the version before, with three transactions and an entry.
  private func journalOfVersionBefore() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try PaymentJournal.migrator.migrate(queue, upTo: Self.lastBefore)
    let members = """
      "transactionId":"1","originalTransactionId":"1","bundleId":"b","productId":"p","purchaseDate":1,\
      "originalPurchaseDate":1,"signedDate":1
      """
    let payloads = [
      Self.part("{\(members)}"),
      Self.part(
        #"{\#(members),"subscriptionGroupIdentifier":"G","expiresDate":9,"isUpgraded":true,"offerType":1,"inAppOwnershipType":"FAMILY_SHARED"}"#
      ),
      "damaged",
    ]
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO installation (id, installationID, bundleID, environment, deviceID, account, transactionRevision)
          VALUES (1, 'i', 'b', 'Sandbox', 'd', 'customer', '1.9');
          INSERT INTO signatureHeader (id, header) VALUES (1, 'h');
          INSERT INTO queueEntry (stage, payment, state) VALUES ('added', '{}', '{}');
          """)
      for (number, payload) in payloads.enumerated() {
        try database.execute(
          sql: """
            INSERT INTO deviceTransaction (transactionID, originalTransactionID, productID, purchaseDate, signedDate, headerID,
              payload, signature) VALUES (?, '1', 'p', 1, 1, 1, ?, 's')
            """, arguments: ["\(number)", payload])
      }
    }
    return queue
  }

  @Test("fills the new columns in from the signed payloads; a payload that cannot be read keeps the defaults")
  func columns() throws {
    let queue = try journalOfVersionBefore()
    try PaymentJournal.migrator.migrate(queue)
    let rows = try queue.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT subscriptionGroupID, expiresDate, isUpgraded, isShared, offerType, announcement FROM deviceTransaction
          ORDER BY transactionID
          """)
    }
    #expect(rows.count == 3)
    for row in [rows[0], rows[2]] {
      #expect(row["subscriptionGroupID"] as String? == nil && row["expiresDate"] as Int64? == nil)
      #expect(!(row["isUpgraded"] as Bool) && !(row["isShared"] as Bool) && row["offerType"] as Int64? == nil)
    }
    #expect(rows[1]["subscriptionGroupID"] as String? == "G" && rows[1]["expiresDate"] as Int64? == 9)
    #expect(rows[1]["isUpgraded"] as Bool && rows[1]["isShared"] as Bool && rows[1]["offerType"] as Int64? == 1)
    #expect(rows.allSatisfy { $0["announcement"] as Int64? == nil })
  }

  @Test("all transactions come again, as history; entries of StoreKit 1 stay what they are")
  func revision() throws {
    let queue = try journalOfVersionBefore()
    try PaymentJournal.migrator.migrate(queue)
    let row = try #require(
      try queue.read { database in
        try Row.fetchOne(
          database,
          sql: """
            SELECT transactionRevision, account, usesStoreKit2, hasHistory, appTransaction,
              (SELECT count(*) FROM queueEntry WHERE interface IS NULL) AS entries FROM installation
            """)
      })
    #expect(row["transactionRevision"] as String? == nil && row["account"] as String? == "customer")
    #expect(!(row["usesStoreKit2"] as Bool) && !(row["hasHistory"] as Bool) && row["entries"] as Int == 1)
    #expect(row["appTransaction"] as String? == nil)
  }
}
