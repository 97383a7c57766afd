import Foundation
import PurchaseKit
import SignedData
import StoreModel
import Testing

@Suite("Backups of a vault", .timeLimit(.minutes(30)))
struct BackupTests {
  private let files = TestVault()
  private let key = BackupKey()

  /// Fills the vault and makes a backup of it: 11 credits, sepia owned, noir refunded.
  private func filledAndExported() async throws -> Data {
    try await files.fill()
    let vault = try files.open()
    defer { try? vault.close() }
    return try await vault.export(under: key, receipts: files.reader())
  }

  private func importing(_ backup: Data, into vault: PurchaseVault) async throws -> BackupImport {
    try await vault.importBackup(backup, under: key, receipts: files.reader())
  }

  private func loseFile() throws { try FileManager.default.removeItem(at: files.file) }

  @Test("F2 after the loss of the file, an import restores entitlements and credits at once, without a network")
  func broughtBack() async throws {
    let backup = try await filledAndExported()
    try loseFile()
    try FileManager.default.removeItem(at: files.receipt)
    let vault = try files.open()
    let result = try await importing(backup, into: vault)
    #expect(result.credits == .broughtBack(balance: 11))
    guard case .broughtBack(let entitlements) = result.entitlements else {
      Issue.record("\(result.entitlements)")
      return
    }
    #expect(entitlements.map(\.originalTransactionIdentifier) == ["100", "200"])
    #expect(try files.entitlements(vault).isEntitled(to: TestVault.sepia))
    #expect(try !files.entitlements(vault).isEntitled(to: TestVault.noir))
    // The vault still knows the grants, and the spends by their keys.
    #expect(try !vault.credits.grant(5, for: "1", productIdentifier: "five", date: TestVault.date).isNew)
    #expect(try vault.credits.spend(4, key: TestVault.spendKey, date: TestVault.date) == 11)
    try vault.close()
    #expect(try files.use { try $0.credits.balance() } == 11)
  }

  @Test("F1 F2 credits spent after the backup stay spent; credits bought later keep their full value")
  func spentSince() async throws {
    let backup = try await filledAndExported()
    try files.use { vault in
      _ = try vault.credits.spend(9, key: UUID(), date: TestVault.date)
      _ = try vault.credits.grant(10, for: "3", productIdentifier: "ten", date: TestVault.date)
      _ = try vault.credits.spend(12, key: UUID(), date: TestVault.date)
    }
    try loseFile()
    let vault = try files.open()
    #expect(try await importing(backup, into: vault).credits == .broughtBack(balance: 0))
    #expect(try vault.credits.grant(5, for: "4", productIdentifier: "five", date: TestVault.date).balance == 5)
  }

  @Test("F1 F2 credits are restored once, also if the file is lost again; a later backup is valid once more")
  func once() async throws {
    let backup = try await filledAndExported()
    try loseFile()
    var vault = try files.open()
    #expect(try await importing(backup, into: vault).credits == .broughtBack(balance: 11))
    #expect(try await importing(backup, into: vault).credits == .importedBefore)
    #expect(try vault.credits.balance() == 11)
    let later = try await vault.export(under: key, receipts: files.reader())
    try vault.close()
    try loseFile()
    vault = try files.open()
    #expect(try await importing(backup, into: vault).credits == .importedBefore)
    #expect(throws: CreditError.self) { try vault.credits.balance() }
    #expect(try await importing(later, into: vault).credits == .broughtBack(balance: 11))
    try vault.close()
  }

  @Test("F1 F2 valid and newer credits are unchanged")
  func currentAreNewer() async throws {
    let backup = try await filledAndExported()
    let vault = try files.open()
    _ = try vault.credits.spend(11, key: UUID(), date: TestVault.date)
    #expect(try await importing(backup, into: vault).credits == .currentAreNewer)
    #expect(try vault.credits.balance() == 0)
  }

  @Test("F2 a backup found after a reset of the credits is added to them once, and no transaction counts twice")
  func afterStartingAnew() async throws {
    let backup = try await filledAndExported()
    try loseFile()
    let vault = try files.open()
    try vault.resetCredits(accepting: vault.creditsAtRisk)
    // Transaction 1 was not finished, so it is delivered again. Its credits were given up. The backup has them.
    let again = try vault.credits.grant(5, for: "1", productIdentifier: "five", date: TestVault.date)
    #expect(!again.isNew && again.balance == 0)
    let newBackup = try await vault.export(under: key, receipts: files.reader())
    #expect(try await importing(backup, into: vault).credits == .broughtBack(balance: 5 + 10 - 4))
    #expect(try vault.credits.grant(5, for: "1", productIdentifier: "five", date: TestVault.date).isNew == false)
    #expect(try await importing(backup, into: vault).credits == .importedBefore)
    #expect(try await importing(newBackup, into: vault).credits == .importedBefore)
    #expect(try vault.credits.grants().map(\.transactionIdentifier) == ["1", "2"])
  }

  @Test("F1 F2 B9 a spend repeated after an import is found, also one made after the backup: it counts once")
  func spendAskedAgain() async throws {
    let backup = try await filledAndExported()
    let since = UUID()
    try files.use { _ = try $0.credits.spend(3, key: since, date: TestVault.date) }
    try loseFile()
    let vault = try files.open()
    #expect(try await importing(backup, into: vault).credits == .broughtBack(balance: 8))
    #expect(try vault.credits.spend(3, key: since, date: TestVault.date) == 8)
    #expect(try vault.credits.spend(4, key: TestVault.spendKey, date: TestVault.date) == 8)
    #expect(throws: CreditError.keyReused(since)) { try vault.credits.spend(2, key: since, date: TestVault.date) }
    try vault.close()
    #expect(try files.use { try $0.credits.balance() } == 8)
  }

  @Test("F1 F2 B9 a spend repeated with its key after a reset of the credits counts once, with the larger amount")
  func spentInBoth() async throws {
    let backup = try await filledAndExported()
    let since = UUID()
    try files.use { _ = try $0.credits.spend(5, key: since, date: TestVault.date) }
    try loseFile()
    let vault = try files.open()
    try vault.resetCredits(accepting: vault.creditsAtRisk)
    _ = try vault.credits.grant(10, for: "9", productIdentifier: "ten", date: TestVault.date)
    _ = try vault.credits.spend(4, key: TestVault.spendKey, date: TestVault.date)
    _ = try vault.credits.spend(1, key: since, date: TestVault.date)
    // 15 + 10 granted, 4 + 5 spent.
    #expect(try await importing(backup, into: vault).credits == .broughtBack(balance: 16))
  }

  @Test("F1 F2 on another device entitlements are restored at once, repeatedly; credits are not")
  func anotherDevice() async throws {
    let backup = try await filledAndExported()
    let other = TestVault()
    let vault = try other.open(device: TestVault.otherDevice)
    for _ in 0..<2 {
      let result = try await vault.importBackup(
        backup, under: key, receipts: files.reader(TestVault.otherDevice))
      #expect(result.credits == .ofAnotherVault)
    }
    #expect(try files.entitlements(vault).isEntitled(to: TestVault.sepia))
    #expect(try vault.credits.balance() == 0)
  }

  @Test("F1 a backup with any byte changed, or its end missing, is refused and changes nothing")
  func edited() async throws {
    let backup = try await filledAndExported()
    try loseFile()
    let vault = try files.open()
    for place in Array(0..<60) + stride(from: 60, to: backup.count, by: 97) {
      var changed = backup
      changed[place] ^= 4
      await #expect(throws: BackupError.self, "byte \(place)") { try await importing(changed, into: vault) }
    }
    for length in [0, 5, 8, 33, 40, backup.count - 1] {
      await #expect(throws: BackupError.self) { try await importing(backup.prefix(length), into: vault) }
    }
    var newer = backup
    newer[8] = 2
    await #expect(throws: BackupError.newerVersion(2)) { try await importing(newer, into: vault) }
    await #expect(throws: BackupError.notABackup) { try await importing(Data("receipts".utf8), into: vault) }
    await #expect(throws: BackupError.wrongKey) {
      try await vault.importBackup(backup, under: BackupKey(), receipts: files.reader())
    }
    #expect(try !files.entitlements(vault).isEntitled(to: TestVault.sepia))
    #expect(vault.creditFreeze?.reason == .fileMissing)
    // The undamaged backup can still be imported.
    #expect(try await importing(backup, into: vault).credits == .broughtBack(balance: 11))
  }

  @Test("F1 another app's backup is refused, and a contained receipt that the store did not sign restores nothing")
  func evidence() async throws {
    let backup = try await filledAndExported()
    let vault = try PurchaseVault(
      at: nil, keys: MemoryVaultKeyStore(),
      owner: VaultOwner(bundleID: "com.example.other", deviceIdentifier: TestVault.device),
      clock: ManualClock(StoreDate(TestVault.date)))
    await #expect(throws: BackupError.ofAnotherApp(TestVault.bundleID)) { try await importing(backup, into: vault) }
    let anchors = try IssuingAuthority().anchors
    let distrusting = ReceiptReader(
      url: { nil }, anchors: anchors, bundleID: TestVault.bundleID, device: TestVault.device, environments: [.sandbox])
    let mine = try TestVault().open()
    let result = try await mine.importBackup(backup, under: key, receipts: distrusting)
    guard case .refused(.refused(let failure)) = result.entitlements else {
      Issue.record("\(result.entitlements)")
      return
    }
    #expect(failure.fault == .chain)
    #expect(try !files.entitlements(mine).isEntitled(to: TestVault.sepia))
  }

  @Test("F2 no backup is made from an unverified receipt, or without a receipt that entitlements need")
  func exportNeedsReceipt() async throws {
    try await files.fill()
    let vault = try files.open()
    try Data("receipt".utf8).write(to: files.receipt)
    await #expect(throws: BackupError.self) { try await vault.export(under: key, receipts: files.reader()) }
    try FileManager.default.removeItem(at: files.receipt)
    await #expect(throws: BackupError.receipt(.missing)) {
      try await vault.export(under: key, receipts: files.reader())
    }
    let empty = TestVault()
    let other = try empty.open()
    let backup = try await other.export(under: key, receipts: empty.reader())
    let result = try await other.importBackup(backup, under: key, receipts: empty.reader())
    #expect(result.entitlements == .notInBackup)
    #expect(result.credits == .currentAreNewer)
  }

  @Test("F1 an old backup reverses no recorded refund")
  func refundAfterBackup() async throws {
    try files.put(receipt: [.init(id: 200, product: TestVault.noir)], at: TestVault.date.addingTimeInterval(-60))
    var vault = try files.open()
    try await files.entitlements(vault).merge(files.reader().receipt())
    let backup = try await vault.export(under: key, receipts: files.reader())
    try vault.close()
    try await files.fill()
    vault = try files.open()
    _ = try await importing(backup, into: vault)
    #expect(try !files.entitlements(vault).isEntitled(to: TestVault.noir))
  }
}
