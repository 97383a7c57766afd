import Foundation
import PurchaseKit
import SampleModel

/// What the books say of what is owned.
struct OwnershipBooks {
  private let books: SampleBooks
  private let files: OwnershipFiles

  private static let sales = [
    SampleBooks.Sale(product: SampleCatalog.sepia, milliunits: 3990),
    SampleBooks.Sale(product: SampleCatalog.fiveCredits, milliunits: 990),
  ]

  init(_ stage: Stage) {
    books = SampleBooks(stage)
    files = OwnershipFiles(stage)
  }

  /// What is not as after the whole journey.
  func check(backupKey: String?) async throws -> [String] {
    let findings = try books.checkStore(Self.sales) + checkVault() + books.checkQueueIsEmpty()
    return findings.isEmpty ? try await checkLineage(backupKey: backupKey) : findings
  }

  /// What the customer has, on the disk of a party that is gone; as in Documentation/commit-points.md.
  func landmark(of party: Party) throws -> String? {
    guard party == .app else { return nil }
    let words =
      try books.queueStages()
      + (vault()?.open { vault in
        vault.findings.map { [.fileMissing, .reinstalled].contains($0) ? "file missing" : "\($0)" } + (try owned(vault))
          + [vault.creditFreeze == nil ? "\(try VaultCreditStore(vault).balance()) credits" : "frozen"]
      } ?? [])
    return (words + (FileManager.default.fileExists(atPath: files.backup.path) ? ["backup"] : []))
      .joined(separator: ", ")
  }

  private func vault() throws -> VaultCopy? {
    try books.vault(keychain: files.keychain, deviceID: OwnershipFiles.deviceID)
  }

  /// The filters, each by the last part of its name.
  private func owned(_ vault: PurchaseVault) throws -> [String] {
    let entitlements = EntitlementManager(vault: vault, receipts: nil, productIdentifiers: SampleCatalog.filters)
    return try SampleCatalog.filters.filter { try entitlements.isEntitled(to: $0) }
      .compactMap { $0.split(separator: ".").last.map(String.init) }
  }

  private func checkVault() throws -> [String] {
    let sold = try books.sold(SampleCatalog.fiveCredits)
    let words = try vault()?.open { vault in
      var findings = Findings()
      findings.expect(vault.findings.isEmpty, "the vault says it was tampered with: \(vault.findings)")
      if let freeze = vault.creditFreeze { return findings.words + ["the credits are frozen: \(freeze.reason)"] }
      let store = VaultCreditStore(vault)
      let grants = try store.grants()
      findings.expect(grants.map(\.transactionIdentifier) == sold, "sold were \(sold), given for \(grants)")
      for grant in grants { findings.expect(grant.credits == 5, "given were \(grant)") }
      let balance = try store.balance()
      findings.expect(balance == 3, "the balance is \(balance)")
      let filters = try owned(vault)
      findings.expect(filters == ["sepia"], "owned are \(filters)")
      return findings.words
    }
    return words ?? ["there is no vault"]
  }

  /// Whoever loses the vault once more must not get the credits of the same backup again.
  private func checkLineage(backupKey: String?) async throws -> [String] {
    guard let backupKey, let vault = try vault() else { return ["there is no backup"] }
    let outcome = try await vault.importAfterLoss(
      Data(contentsOf: files.backup), under: BackupKey(text: backupKey))
    return outcome.credits == .importedBefore ? [] : ["imported once more, the backup gave \(outcome.credits)"]
  }
}
