import Foundation
import PurchaseKit
import SampleModel

/// The records of filters and credits.
struct OwnershipRecords {
  private let records: DurableRecords
  private let files: OwnershipFiles

  private static let sales = [
    DurableRecords.Sale(product: SampleCatalog.sepia, milliunits: 3990),
    DurableRecords.Sale(product: SampleCatalog.fiveCredits, milliunits: 990),
  ]

  init(_ environment: RunEnvironment) {
    records = DurableRecords(environment)
    files = OwnershipFiles(environment)
  }

  /// Returns the differences from the records after an undisturbed run.
  func check(backupKey: String?) async throws -> [String] {
    let findings = try records.checkStore(Self.sales) + checkVault() + records.checkQueueIsEmpty()
    return findings.isEmpty ? try await checkLineage(backupKey: backupKey) : findings
  }

  /// Describes the app's disk after an interruption, as in Documentation/commit-points.md.
  func diskState(of role: ProcessRole) throws -> String? {
    guard role == .app else { return nil }
    let parts =
      try records.queueStages()
      + (vault()?.open { vault in
        vault.findings.map { [.fileMissing, .reinstalled].contains($0) ? "file missing" : "\($0)" } + (try owned(vault))
          + [vault.creditFreeze == nil ? "\(try VaultCreditStore(vault).balance()) credits" : "frozen"]
      } ?? [])
    return (parts + (FileManager.default.fileExists(atPath: files.backup.path) ? ["backup"] : []))
      .joined(separator: ", ")
  }

  private func vault() throws -> VaultCopy? {
    try records.vault(keychain: files.keychain, deviceID: OwnershipFiles.deviceID)
  }

  /// The owned filters, each by the last part of its product id.
  private func owned(_ vault: PurchaseVault) throws -> [String] {
    let entitlements = EntitlementManager(vault: vault, receipts: nil, productIdentifiers: SampleCatalog.filters)
    return try SampleCatalog.filters.filter { try entitlements.isEntitled(to: $0) }
      .compactMap { $0.split(separator: ".").last.map(String.init) }
  }

  private func checkVault() throws -> [String] {
    let sold = try records.sold(SampleCatalog.fiveCredits)
    let messages = try vault()?.open { vault in
      var findings = Findings()
      findings.expect(vault.findings.isEmpty, "the vault reports tampering: \(vault.findings)")
      if let freeze = vault.creditFreeze { return findings.messages + ["the credits are frozen: \(freeze.reason)"] }
      let store = VaultCreditStore(vault)
      let grants = try store.grants()
      findings.expect(
        grants.map(\.transactionIdentifier) == sold, "the sold transactions are \(sold), the granted ones \(grants)")
      for grant in grants { findings.expect(grant.credits == 5, "the grant is \(grant)") }
      let balance = try store.balance()
      findings.expect(balance == 3, "the balance is \(balance)")
      let filters = try owned(vault)
      findings.expect(filters == ["sepia"], "the owned filters are \(filters)")
      return findings.messages
    }
    return messages ?? ["there is no vault"]
  }

  /// Checks that the same backup grants no credits after the vault was lost again.
  private func checkLineage(backupKey: String?) async throws -> [String] {
    guard let backupKey, let vault = try vault() else { return ["there is no backup"] }
    let outcome = try await vault.importAfterLoss(
      Data(contentsOf: files.backup), under: BackupKey(text: backupKey))
    return outcome.credits == .importedBefore ? [] : ["the second import of the backup granted \(outcome.credits)"]
  }
}
