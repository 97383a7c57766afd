import Crypto
import Foundation
import GRDB
import PurchaseKit
import SampleModel
import SignedData

/// What the books of store, server and app say of a server-delivered purchase.
struct DeliveryBooks {
  private let books: SampleBooks
  private let ledger: LeftDatabase
  private let content: LeftDatabase
  private let files: URL

  private static let sales = [
    SampleBooks.Sale(product: DeliveryJourney.book, milliunits: 4990),
    SampleBooks.Sale(product: DeliveryJourney.pages, milliunits: 490),
  ]

  init(_ stage: Stage) {
    books = SampleBooks(stage)
    ledger = LeftDatabase(file: DeveloperServer.ledger(on: stage))
    let library = stage.disk(of: .app).appending(path: "data/books")
    content = LeftDatabase(file: library.appending(path: "content.sqlite"))
    files = library.appending(path: "files")
  }

  /// What is not as after the whole journey.
  func check() throws -> [String] {
    try books.checkStore(Self.sales) + books.checkQueueIsEmpty() + checkLedger() + checkVault() + checkFiles()
  }

  /// How far the purchases have come on the disk of the app that is gone; as in Documentation/commit-points.md.
  func landmark(of party: Party) throws -> String? {
    guard party == .app else { return nil }
    var words = try books.queueStages()
    if try !content.words("SELECT product FROM redemption", of: "redemption").isEmpty { words.append("proof") }
    words += try content.words(
      "SELECT CASE WHEN wanted IS NOT NULL THEN 'wanted' WHEN current IS NOT NULL THEN 'here' END FROM product",
      of: "product")
    words += try books.vault()?.open { try owned($0).isEmpty ? [] : ["owned"] } ?? []
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  private func owned(_ vault: PurchaseVault) throws -> [Entitlement] {
    EntitlementManager(vault: vault, receipts: nil, productIdentifiers: SampleCatalog.books).entitlements
  }

  private func checkLedger() throws -> [String] {
    let sold = try Self.sales.flatMap { try books.sold($0.product) }
    return try ledger.check { database in
      var findings = Findings()
      let claims = try String.fetchAll(database, sql: "SELECT id FROM claim")
      findings.expect(
        Set(claims) == Set(sold) && claims.count == sold.count, "sold were \(sold), claimed \(claims)")
      let entitlements = try String.fetchAll(database, sql: "SELECT product FROM entitlement WHERE ended IS NULL")
      findings.expect(entitlements == [DeliveryJourney.book], "the server says that owned are \(entitlements)")
      let movements = try Int64.fetchAll(database, sql: "SELECT amount FROM credit_movement")
      findings.expect(movements == [50], "the server has given \(movements) pages")
      let sum = try Int64.fetchOne(database, sql: "SELECT SUM(balance) FROM ledger_balance")
      findings.expect(sum == 0, "the sum over all accounts of the ledger is \(sum.map { "\($0)" } ?? "nothing")")
      let wrong = try Row.fetchAll(database, sql: "SELECT * FROM ledger_check")
      findings.expect(wrong.isEmpty, "accounts are not the sum of their movements: \(wrong)")
      return findings.words
    }
  }

  private func checkVault() throws -> [String] {
    let sold = try books.sold(DeliveryJourney.book)
    let words = try books.vault()?.open { vault in
      var findings = Findings()
      findings.expect(vault.findings.isEmpty, "the vault says it was tampered with: \(vault.findings)")
      let owned = try owned(vault)
      findings.expect(
        owned.map(\.originalTransactionIdentifier) == sold && owned.allSatisfy { $0.revocationDate == nil },
        "sold was \(sold), owned are \(owned)")
      return findings.words
    }
    return words ?? ["there is no vault"]
  }

  private func checkFiles() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
    let digests = DeliveryJourney.files.map { Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: $0.content))) }
    var findings = Findings()
    findings.expect(Set(names) == Set(digests), "the app's files are \(names)")
    for name in names {
      let digest = Hexadecimal.lowercaseText(
        of: Array(SHA256.hash(data: try Data(contentsOf: files.appending(path: name)))))
      findings.expect(digest == name, "the content of \(name) is another one")
    }
    return try findings.words
      + content.check { database in
        let states = try Row.fetchAll(database, sql: "SELECT id, wanted, current FROM product")
        let isWhole =
          states.count == 1 && states[0]["wanted"] == nil as String? && states[0]["current"] != nil as String?
        return isWhole ? [] : ["the app's library has \(states)"]
      }
  }
}
