import Foundation
import GRDB
import PurchaseKit

@testable import CommandLineTool

/// The books of store, queue and app, as they are on the disks of processes that are gone.
///
/// Only the app's vault, which is encrypted, is read through its own interface, from a copy.
struct SampleBooks {
  let store: LeftDatabase
  let queue: LeftDatabase
  private let appDisk: URL

  init(_ stage: Stage) {
    store = LeftDatabase(file: stage.disk(of: .store).appending(path: "data/store.sqlite"))
    queue = LeftDatabase(file: stage.disk(of: .app).appending(path: "data/payment-queue.sqlite"))
    appDisk = stage.disk(of: .app)
  }

  /// A product that was sold once, and its price.
  struct Sale: Hashable {
    let product: String
    let milliunits: Int64
  }

  /// What is not as after these sales: a charge and a finished transaction for each, and nothing else.
  func checkStore(_ sales: [Sale]) throws -> [String] {
    try store.check { database in
      var findings = Findings()
      let charges = try Row.fetchAll(database, sql: "SELECT transactionID, productID, amount FROM charge")
      findings.expect(
        Set(charges.map { Sale(product: $0["productID"], milliunits: $0["amount"]) }) == Set(sales)
          && charges.count == sales.count, "the store's books have the charges \(charges)")
      let transactions = try Row.fetchAll(
        database, sql: "SELECT transactionID, productID, quantity, finishedDate FROM transactionRecord")
      findings.expect(
        Set(transactions.map { [$0["transactionID"], $0["productID"]] as [String] })
          == Set(charges.map { [$0["transactionID"], $0["productID"]] }) && transactions.count == charges.count,
        "the store's transactions are \(transactions), its charges \(charges)")
      for transaction in transactions {
        findings.expect(transaction["quantity"] == 1, "sold was \(transaction)")
        findings.expect(
          transaction["finishedDate"] as Int64? != nil, "the store does not know that it is finished: \(transaction)")
      }
      let payments = try Int.fetchOne(database, sql: "SELECT count(*) FROM payment") ?? 0
      findings.expect(payments == sales.count, "the store decided \(payments) payments")
      return findings.words
    }
  }

  /// The transactions by which the store sold a product.
  func sold(_ product: String) throws -> [String] {
    try store.words("SELECT transactionID FROM charge WHERE productID = ?", of: "charge", arguments: [product])
  }

  func checkQueueIsEmpty() throws -> [String] {
    let entries = try queue.words("SELECT sequence || ' ' || stage FROM queueEntry", of: "queueEntry")
    return entries.isEmpty ? [] : ["the queue still has \(entries)"]
  }

  /// How far each line of the queue has come.
  func queueStages() throws -> [String] { try queue.words("SELECT stage FROM queueEntry", of: "queueEntry") }

  /// The app's vault; nil where the installation does not know its device yet, and so has none.
  ///
  /// - Parameters:
  ///   - keychain: nil for the folder in the app's.
  ///   - deviceID: nil for the one the queue's installation made up.
  func vault(keychain: URL? = nil, deviceID: UUID? = nil) throws -> VaultCopy? {
    let known = try deviceID?.uuidString ?? queue.words("SELECT deviceID FROM installation", of: "installation").first
    guard let text = known, let id = UUID(uuidString: text) else { return nil }
    let data = appDisk.appending(path: "data")
    return try VaultCopy(
      of: data, keychain: keychain ?? data.appending(path: "keychain"), deviceID: id,
      at: appDisk.appending(path: "vault-copy-\(UUID().uuidString)"))
  }
}
