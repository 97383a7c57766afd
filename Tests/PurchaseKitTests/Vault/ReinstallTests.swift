import Foundation
import PurchaseKit
import StoreModel
import Testing

@Suite("An app that was deleted and reinstalled", .timeLimit(.minutes(30)))
struct ReinstallTests {
  private let files = TestVault()

  /// Removes the app's folder. The key remains, as it does in a Keychain.
  private func deleteApp() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: files.folder.path)
    where name != files.keyFolder.lastPathComponent {
      try FileManager.default.removeItem(at: files.folder.appending(path: name))
    }
  }

  @Test(
    "F1 A7 a reinstall is distinguished from a removed file, and the balance that a reset would lose is shown before")
  func reinstall() async throws {
    try await files.fill()
    try deleteApp()
    var vault = try files.open()
    #expect(vault.findings == [.reinstalled])
    #expect(vault.creditFreeze == CreditFreeze(reason: .reinstalled, date: TestVault.date, lostBalance: 11))
    #expect(VaultCreditStore(vault).freeze() == vault.creditFreeze)
    try vault.close()
    // The credits stay frozen at the next launch, until the app resets them.
    vault = try files.open()
    #expect(vault.findings.isEmpty)
    #expect(vault.creditFreeze?.lostBalance == 11)
    try vault.resetCredits(accepting: vault.creditsAtRisk)
    #expect(vault.creditFreeze == nil)
    #expect(try vault.credits.balance() == 0)
    try vault.close()

    try FileManager.default.removeItem(at: files.file)
    vault = try files.open()
    #expect(vault.findings == [.fileMissing])
    #expect(vault.creditFreeze == CreditFreeze(reason: .fileMissing, date: TestVault.date, lostBalance: 0))
  }

  @Test("F1 F2 a reinstall restores no spent credit: a backup restores the remaining ones, once")
  func noWayToGetSpentBack() async throws {
    try await files.fill()
    let key = BackupKey()
    let vault = try files.open()
    let backup = try await vault.export(under: key, receipts: files.reader())
    _ = try vault.credits.spend(9, key: UUID(), date: TestVault.date)
    try vault.close()
    for attempt in 1...2 {
      try deleteApp()
      let vault = try files.open()
      #expect(vault.creditFreeze?.lostBalance == 2)
      #expect(throws: CreditError.self) { try vault.credits.balance() }
      let outcome = try await vault.importBackup(backup, under: key, receipts: files.reader()).credits
      #expect(outcome == (attempt == 1 ? .broughtBack(balance: 2) : .importedBefore))
      try vault.close()
    }
  }

  @Test("F1 a reinstall with an older key item restores nothing: its balance is only reported")
  func olderKey() async throws {
    try await files.fill()
    let older = try Data(contentsOf: files.keyItem)
    try files.use { _ = try $0.credits.spend(11, key: UUID(), date: TestVault.date) }
    try deleteApp()
    try older.write(to: files.keyItem)
    let vault = try files.open()
    #expect(vault.creditFreeze?.reason == .reinstalled)
    try vault.resetCredits(accepting: vault.creditsAtRisk)
    #expect(try vault.credits.balance() == 0)
  }
}
