import Foundation
import GRDB
import PurchaseKit

@testable import CommandLineTool

/// The records of store, payment queue and app on the disks of processes that have ended.
///
/// SQLite alone reads them. The app's vault is encrypted, so `PurchaseKit` reads a copy of it.
struct DurableRecords {
  let store: CopiedDatabase
  let queue: CopiedDatabase
  private let appDisk: URL

  init(_ environment: RunEnvironment) {
    store = CopiedDatabase(file: environment.disk(of: .store).appending(path: "data/store.sqlite"))
    queue = CopiedDatabase(file: environment.disk(of: .app).appending(path: "data/payment-queue.sqlite"))
    appDisk = environment.disk(of: .app)
  }

  /// A product that was sold once, and its price.
  struct Sale: Hashable {
    let product: String
    let milliunits: Int64
  }

  /// Returns the errors in the store's records: each sale must have one charge and one finished transaction.
  func checkStore(_ sales: [Sale]) throws -> [String] {
    try store.check { database in
      var findings = Findings()
      let charges = try Row.fetchAll(database, sql: "SELECT transactionID, productID, amount FROM charge")
      findings.expect(
        Set(charges.map { Sale(product: $0["productID"], milliunits: $0["amount"]) }) == Set(sales)
          && charges.count == sales.count, "the store has the charges \(charges)")
      let transactions = try Row.fetchAll(
        database, sql: "SELECT transactionID, productID, quantity, finishedDate FROM transactionRecord")
      findings.expect(
        Set(transactions.map { [$0["transactionID"], $0["productID"]] as [String] })
          == Set(charges.map { [$0["transactionID"], $0["productID"]] }) && transactions.count == charges.count,
        "the store's transactions are \(transactions), its charges \(charges)")
      for transaction in transactions {
        findings.expect(transaction["quantity"] == 1, "the quantity is not 1: \(transaction)")
        findings.expect(
          transaction["finishedDate"] as Int64? != nil, "the transaction is not finished in the store: \(transaction)")
      }
      let payments = try Int.fetchOne(database, sql: "SELECT count(*) FROM payment") ?? 0
      findings.expect(payments == sales.count, "the store has \(payments) payments")
      return findings.messages
    }
  }

  /// The ids of the transactions in which the store sold a product.
  func sold(_ product: String) throws -> [String] {
    try store.values("SELECT transactionID FROM charge WHERE productID = ?", of: "charge", arguments: [product])
  }

  func checkQueueIsEmpty() throws -> [String] {
    let entries = try queue.values("SELECT sequence || ' ' || stage FROM queueEntry", of: "queueEntry")
    return entries.isEmpty ? [] : ["the queue still has \(entries)"]
  }

  /// The stage of each row of the payment queue.
  func queueStages() throws -> [String] { try queue.values("SELECT stage FROM queueEntry", of: "queueEntry") }

  /// Returns a copy of the app's vault; nil if the installation has no device id yet, and so no vault.
  ///
  /// - Parameters:
  ///   - keychain: the keychain's folder; nil for the one in the app's folder.
  ///   - deviceID: the device's id; nil for the one that the payment queue generated.
  func vault(keychain: URL? = nil, deviceID: UUID? = nil) throws -> VaultCopy? {
    let known = try deviceID?.uuidString ?? queue.values("SELECT deviceID FROM installation", of: "installation").first
    guard let text = known, let id = UUID(uuidString: text) else { return nil }
    let data = appDisk.appending(path: "data")
    return try VaultCopy(
      of: data, keychain: keychain ?? data.appending(path: "keychain"), deviceID: id,
      at: appDisk.appending(path: "vault-copy-\(UUID().uuidString)"))
  }
}
