import Foundation
import GRDB
import PurchaseKit
import SampleModel

@testable import CommandLineTool

/// The books of store, queue and app, as they are on the disks of processes that are gone.
///
/// Read with SQLite alone: the product's own code has no part in the judgement. Only the app's vault, which is encrypted, is
/// read through its own interface, from a copy.
struct PurchaseBooks {
  let store: URL
  let app: URL

  private static let price: Int64 = 990
  private static let credits = 5

  /// What is not as after one purchase of five credits.
  func check() throws -> [String] {
    var sold: [String] = []
    return try read(store.appending(path: "data/store.sqlite")) { try checkStore($0, sold: &sold) }
      + checkCredits(sold: sold)
      + read(app.appending(path: "data/payment-queue.sqlite")) { try checkQueue($0) }
  }

  /// How far a purchase has come on the disk of a party that is gone; as in Documentation/commit-points.md.
  func landmark(of party: Party) throws -> String {
    let words =
      switch party {
      case .store:
        try landmark(store.appending(path: "data/store.sqlite")) { database in
          try Self.words(
            "SELECT 'charged' FROM charge UNION ALL SELECT 'finished' FROM transactionRecord WHERE finishedDate > 0",
            of: "charge", in: database)
        }
      case .app:
        try landmark(app.appending(path: "data/payment-queue.sqlite")) {
          try Self.words("SELECT stage FROM queueEntry", of: "queueEntry", in: $0)
        }
          + withVault { vault, findings in
            findings.map { "\($0)" } + (try VaultCreditStore(vault).grants().isEmpty ? [] : ["granted"])
          }
      }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  /// Nothing where there is no file yet.
  private func landmark(_ file: URL, _ body: (Database) throws -> [String]) throws -> [String] {
    FileManager.default.fileExists(atPath: file.path) ? try read(file, body) : []
  }

  /// Nothing where there is no such table yet.
  private static func words(_ sql: String, of table: String, in database: Database) throws -> [String] {
    try database.tableExists(table) ? String.fetchAll(database, sql: sql) : []
  }

  private func checkStore(_ database: Database, sold: inout [String]) throws -> [String] {
    var findings = Findings()
    let charges = try Row.fetchAll(database, sql: "SELECT transactionID, amount FROM charge")
    findings.expect(charges.count == 1, "the store's books have \(charges.count) charges")
    for charge in charges { findings.expect(charge["amount"] == Self.price, "the charge is \(charge)") }
    sold = charges.map { $0["transactionID"] }
    let transactions = try Row.fetchAll(
      database, sql: "SELECT transactionID, productID, quantity, finishedDate FROM transactionRecord")
    findings.expect(transactions.map { $0["transactionID"] } == sold, "the store's transactions are \(transactions)")
    for transaction in transactions {
      findings.expect(
        transaction["productID"] == SampleCatalog.fiveCredits && transaction["quantity"] == 1, "sold was \(transaction)"
      )
      findings.expect(
        transaction["finishedDate"] as Int64? != nil, "the store does not know that it is finished: \(transaction)")
    }
    let payments = try Int.fetchOne(database, sql: "SELECT count(*) FROM payment") ?? 0
    findings.expect(payments == 1, "the store decided \(payments) payments")
    return findings.words
  }

  private func checkCredits(sold: [String]) throws -> [String] {
    try withVault { vault, vaultFindings in
      let store = VaultCreditStore(vault)
      let grants = try store.grants()
      var findings = Findings()
      findings.expect(vaultFindings.isEmpty, "the vault says it was tampered with: \(vaultFindings)")
      findings.expect(grants.map(\.transactionIdentifier) == sold, "sold were \(sold), given for \(grants)")
      for grant in grants { findings.expect(grant.credits == Self.credits, "given were \(grant)") }
      let balance = try store.balance()
      findings.expect(balance == Self.credits, "the balance is \(balance)")
      return findings.words
    }
  }

  private func checkQueue(_ database: Database) throws -> [String] {
    var findings = Findings()
    let entries = try Row.fetchAll(database, sql: "SELECT sequence, stage FROM queueEntry")
    findings.expect(entries.isEmpty, "the queue still has \(entries)")
    let receipt = try Data.fetchOne(database, sql: "SELECT receipt FROM installation")
    findings.expect(receipt != nil, "the app's receipt is missing")
    return findings.words
  }

  private struct Findings {
    var words: [String] = []

    mutating func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
      if !holds { words.append(otherwise()) }
    }
  }

  /// Reads a copy, so that what is on the disk stays as it was left.
  private func read(_ file: URL, _ body: (Database) throws -> [String]) throws -> [String] {
    guard FileManager.default.fileExists(atPath: file.path) else { return ["\(file.lastPathComponent) is not there"] }
    let copy = "\(file.path)-copy-\(UUID().uuidString)"
    defer {
      for ending in ["", "-wal", "-journal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + ending) }
    }
    for ending in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: file.path + ending) {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: copy + ending)
    }
    do {
      let queue = try DatabaseQueue(path: copy)
      defer { try? queue.close() }
      return try queue.read { database in
        let verdict = try String.fetchOne(database, sql: "PRAGMA integrity_check") ?? ""
        return verdict == "ok" ? try body(database) : ["\(file.lastPathComponent) is damaged: \(verdict)"]
      }
    } catch let error as DatabaseError {
      return ["\(file.lastPathComponent) cannot be read: \(error)"]
    }
  }

  /// Opens a copy of the vault, so that what is on the disk stays as it was left. An installation that does not know its
  /// device yet has none.
  private func withVault(_ body: (PurchaseVault, [VaultFinding]) throws -> [String]) throws -> [String] {
    let data = app.appending(path: "data")
    var deviceID: [String] = []
    _ = try landmark(data.appending(path: "payment-queue.sqlite")) { database in
      deviceID = try Self.words("SELECT deviceID FROM installation", of: "installation", in: database)
      return []
    }
    guard let text = deviceID.first, let deviceID = UUID(uuidString: text) else { return [] }
    let copy = app.appending(path: "vault-copy-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: copy) }
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
    for name in ["", "-wal", "-journal"].map({ SampleVault.fileName + $0 }) + ["keychain"] {
      let file = data.appending(path: name)
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      try FileManager.default.copyItem(at: file, to: copy.appending(path: name))
    }
    let vault = try SampleVault(
      folder: copy, keychain: copy.appending(path: "keychain"), deviceID: deviceID
    ).open()
    defer { try? vault.close() }
    return try body(vault, vault.findings)
  }
}
