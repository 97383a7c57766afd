import Crypto
import Foundation
import GRDB
import PurchaseKit
import SampleModel
import SignedData

/// The records of store, server and app about a server-delivered purchase.
struct DeliveryRecords {
  private let records: DurableRecords
  private let ledger: CopiedDatabase
  private let content: CopiedDatabase
  private let files: URL

  private static let sales = [
    DurableRecords.Sale(product: DeliveryScenario.book, milliunits: 4990),
    DurableRecords.Sale(product: DeliveryScenario.pages, milliunits: 490),
  ]

  init(_ environment: RunEnvironment) {
    records = DurableRecords(environment)
    ledger = CopiedDatabase(file: DeveloperServer.ledger(in: environment))
    let library = environment.disk(of: .app).appending(path: "data/books")
    content = CopiedDatabase(file: library.appending(path: "content.sqlite"))
    files = library.appending(path: "files")
  }

  /// Returns the differences from the records after an undisturbed run.
  func check() throws -> [String] {
    try records.checkStore(Self.sales) + records.checkQueueIsEmpty() + checkLedger() + checkVault() + checkFiles()
  }

  /// Describes the purchases on the app's disk after an interruption, as in Documentation/commit-points.md.
  func diskState(of role: ProcessRole) throws -> String? {
    guard role == .app else { return nil }
    var parts = try records.queueStages()
    if try !content.values("SELECT product FROM redemption", of: "redemption").isEmpty { parts.append("proof") }
    parts += try content.values(
      "SELECT CASE WHEN wanted IS NOT NULL THEN 'wanted' WHEN current IS NOT NULL THEN 'here' END FROM product",
      of: "product")
    parts += try records.vault()?.open { try owned($0).isEmpty ? [] : ["owned"] } ?? []
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  private func owned(_ vault: PurchaseVault) throws -> [Entitlement] {
    EntitlementManager(vault: vault, receipts: nil, productIdentifiers: SampleCatalog.books).entitlements
  }

  private func checkLedger() throws -> [String] {
    let sold = try Self.sales.flatMap { try records.sold($0.product) }
    return try ledger.check { database in
      var findings = Findings()
      let claims = try String.fetchAll(database, sql: "SELECT id FROM claim")
      findings.expect(
        Set(claims) == Set(sold) && claims.count == sold.count,
        "the sold transactions are \(sold), the claimed ones \(claims)")
      let entitlements = try String.fetchAll(database, sql: "SELECT product FROM entitlement WHERE ended IS NULL")
      findings.expect(entitlements == [DeliveryScenario.book], "the server's entitlements are \(entitlements)")
      let movements = try Int64.fetchAll(database, sql: "SELECT amount FROM credit_movement")
      findings.expect(movements == [50], "the server's movements of pages are \(movements)")
      let sum = try Int64.fetchOne(database, sql: "SELECT SUM(balance) FROM ledger_balance")
      findings.expect(sum == 0, "the sum over all accounts of the ledger is \(sum.map { "\($0)" } ?? "nothing")")
      let wrong = try Row.fetchAll(database, sql: "SELECT * FROM ledger_check")
      findings.expect(wrong.isEmpty, "balances differ from the sum of their movements: \(wrong)")
      return findings.messages
    }
  }

  private func checkVault() throws -> [String] {
    let sold = try records.sold(DeliveryScenario.book)
    let messages = try records.vault()?.open { vault in
      var findings = Findings()
      findings.expect(vault.findings.isEmpty, "the vault reports tampering: \(vault.findings)")
      let owned = try owned(vault)
      findings.expect(
        owned.map(\.originalTransactionIdentifier) == sold && owned.allSatisfy { $0.revocationDate == nil },
        "the sold transactions are \(sold), the owned ones \(owned)")
      return findings.messages
    }
    return messages ?? ["there is no vault"]
  }

  private func checkFiles() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
    let digests = DeliveryScenario.files.map { Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: $0.content))) }
    var findings = Findings()
    findings.expect(Set(names) == Set(digests), "the app's files are \(names)")
    for name in names {
      let digest = Hexadecimal.lowercaseText(
        of: Array(SHA256.hash(data: try Data(contentsOf: files.appending(path: name)))))
      findings.expect(digest == name, "the content of \(name) does not match its name")
    }
    return try findings.messages
      + content.check { database in
        let states = try Row.fetchAll(database, sql: "SELECT id, wanted, current FROM product")
        let isWhole =
          states.count == 1 && states[0]["wanted"] == nil as String? && states[0]["current"] != nil as String?
        return isWhole ? [] : ["the app's library has \(states)"]
      }
  }
}
