import Foundation
import PurchaseKit
import SampleModel

/// What the books say of one purchase of five credits.
struct PurchaseBooks {
  private let books: SampleBooks

  private static let sale = SampleBooks.Sale(product: SampleCatalog.fiveCredits, milliunits: 990)
  private static let credits = 5

  init(_ stage: Stage) { books = SampleBooks(stage) }

  /// What is not as after one purchase of five credits.
  func check() throws -> [String] {
    try books.checkStore([Self.sale]) + checkCredits() + books.checkQueueIsEmpty() + checkReceipt()
  }

  /// How far a purchase has come on the disk of a party that is gone; as in Documentation/commit-points.md.
  func landmark(of party: Party) throws -> String? {
    let words: [String]
    switch party {
    case .store:
      words = try books.store.words(
        "SELECT 'charged' FROM charge UNION ALL SELECT 'finished' FROM transactionRecord WHERE finishedDate > 0",
        of: "charge")
    case .server: return nil
    case .app:
      words =
        try books.queueStages()
        + (books.vault()?.open { vault in
          vault.findings.map { "\($0)" } + (try VaultCreditStore(vault).grants().isEmpty ? [] : ["granted"])
        } ?? [])
    }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  private func checkCredits() throws -> [String] {
    let sold = try books.sold(Self.sale.product)
    let words = try books.vault()?.open { vault in
      let store = VaultCreditStore(vault)
      let grants = try store.grants()
      var findings = Findings()
      findings.expect(vault.findings.isEmpty, "the vault says it was tampered with: \(vault.findings)")
      findings.expect(grants.map(\.transactionIdentifier) == sold, "sold were \(sold), given for \(grants)")
      for grant in grants { findings.expect(grant.credits == Self.credits, "given were \(grant)") }
      let balance = try store.balance()
      findings.expect(balance == Self.credits, "the balance is \(balance)")
      return findings.words
    }
    return words ?? ["there is no vault"]
  }

  private func checkReceipt() throws -> [String] {
    let receipts = try books.queue.words(
      "SELECT 'a receipt' FROM installation WHERE receipt IS NOT NULL", of: "installation")
    return receipts.isEmpty ? ["the app's receipt is missing"] : []
  }
}
