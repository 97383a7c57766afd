import Foundation
import PurchaseKit
import StoreModel
import Testing

/// The differences between the file and the key item that a crash or a failing key store can cause.
@Suite("A vault's commit points", .timeLimit(.minutes(30)))
struct VaultCommitTests {
  private let files = TestVault()

  /// Ends the app (by an error) at each save of the key item, and launches it again with the same files.
  @Test("B9 F1 stopped before or after any save of the key item: nothing is lost, doubled, or reported as tampering")
  func everySave() throws {
    for isAfter in [false, true] {
      for number in 1...12 {
        let url = files.folder.appending(path: "\(isAfter)-\(number)/vault.sqlite")
        let keys = FailingKeyStore()
        keys.fail(at: number, isAfter: isAfter)
        var (granted, spent) = (0, 0)
        // The same grants and spends, repeated after each failure.
        for _ in 0..<3 {
          do {
            let vault = try PurchaseVault(
              at: url, keys: keys, owner: TestVault.owner(), clock: ManualClock(StoreDate(TestVault.date)))
            defer { try? vault.close() }
            #expect(vault.findings.isEmpty, "save \(number), \(isAfter)")
            #expect(vault.creditFreeze == nil)
            for id in 0..<3 {
              _ = try vault.credits.grant(5, for: "\(id)", productIdentifier: "five", date: TestVault.date)
              granted = max(granted, id + 1)
              let key = UUID(uuid: (UInt8(id), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
              _ = try vault.credits.spend(2, key: key, date: TestVault.date)
              spent = max(spent, id + 1)
            }
          } catch is FailingKeyStore.Failure {
          } catch is VaultError {
          }
        }
        let vault = try PurchaseVault(
          at: url, keys: keys, owner: TestVault.owner(), clock: ManualClock(StoreDate(TestVault.date)))
        #expect((granted, spent) == (3, 3))
        #expect(try vault.credits.balance() == 9, "save \(number), \(isAfter)")
        #expect(vault.findings.isEmpty)
        try vault.close()
      }
    }
  }

  @Test("F1 while the key store does not save, no change is reported as done, and the file is at most one commit ahead")
  func notSaved() throws {
    let keys = FailingKeyStore()
    let vault = try files.open(keys: keys)
    _ = try vault.credits.grant(10, for: "1", productIdentifier: "ten", date: TestVault.date)
    keys.isFailing = true
    for _ in 0..<3 {
      #expect(throws: VaultError.self) {
        try vault.credits.grant(10, for: "2", productIdentifier: "ten", date: TestVault.date)
      }
      #expect(throws: VaultError.self) { try vault.credits.spend(3, key: UUID(), date: TestVault.date) }
    }
    keys.isFailing = false
    #expect(
      try vault.credits.grant(10, for: "2", productIdentifier: "ten", date: TestVault.date)
        == CreditGrant(isNew: false, balance: 20))
    try vault.close()
    let again = try files.open(keys: keys)
    #expect(again.findings.isEmpty)
    #expect(try again.credits.balance() == 20)
  }

  @Test("F1 a spend whose process was killed before the key item was saved is not restored by a backup")
  func spendAnnounced() async throws {
    let keys = FailingKeyStore()
    let backupKey = BackupKey()
    var vault = try files.open(keys: keys)
    _ = try vault.credits.grant(10, for: "1", productIdentifier: "ten", date: TestVault.date)
    let backup = try await vault.export(under: backupKey, receipts: files.reader())
    // The first save announces the spend. The second save, after the commit, fails.
    keys.fail(at: 2, isAfter: false)
    #expect(throws: VaultError.self) { try vault.credits.spend(10, key: UUID(), date: TestVault.date) }
    try vault.close()
    try FileManager.default.removeItem(at: files.file)
    vault = try files.open(keys: keys)
    #expect(vault.findings == [.fileMissing])
    #expect(
      try await vault.importBackup(backup, under: backupKey, receipts: files.reader()).credits
        == .broughtBack(balance: 0))
  }

  @Test(
    "F1 F2 an import whose process was killed before or after the key item was saved is neither lost nor made twice",
    arguments: [false, true])
  func importInterrupted(isAfter: Bool) async throws {
    let keys = FailingKeyStore()
    let backupKey = BackupKey()
    var vault = try files.open(keys: keys)
    _ = try vault.credits.grant(10, for: "1", productIdentifier: "ten", date: TestVault.date)
    let backup = try await vault.export(under: backupKey, receipts: files.reader())
    try vault.close()
    try FileManager.default.removeItem(at: files.file)
    vault = try files.open(keys: keys)
    keys.fail(at: 1, isAfter: isAfter)
    await #expect(throws: VaultError.self) {
      try await vault.importBackup(backup, under: backupKey, receipts: files.reader())
    }
    try vault.close()
    vault = try files.open(keys: keys)
    #expect(vault.findings.isEmpty)
    #expect(try vault.credits.balance() == 10)
    #expect(
      try await vault.importBackup(backup, under: backupKey, receipts: files.reader()).credits == .importedBefore)
    try vault.close()
    // The same is true if the file is lost again.
    try FileManager.default.removeItem(at: files.file)
    vault = try files.open(keys: keys)
    #expect(
      try await vault.importBackup(backup, under: backupKey, receipts: files.reader()).credits == .importedBefore)
  }

  @Test("F1 a key store that does not answer, or a key item of a newer version: opening throws, nothing changes")
  func refusals() async throws {
    try await files.fill()
    let (file, keyItem) = (try Data(contentsOf: files.file), try Data(contentsOf: files.keyItem))
    let keys = FailingKeyStore()
    keys.isSilent = true
    #expect(throws: FailingKeyStore.Failure.self) { try files.open(keys: keys) }
    try Data(#"{"version": 2, "more": []}"#.utf8).write(to: files.keyItem)
    #expect(throws: VaultError.newerVersion) { try files.open() }
    #expect(try Data(contentsOf: files.file) == file)
    try keyItem.write(to: files.keyItem)
    #expect(try files.use { try $0.credits.balance() } == 11)
  }

  @Test("F1 the stored content cannot be read in the file, and file and key are accessible to their user only")
  func secrecy() async throws {
    try await files.fill()
    let file = try Data(contentsOf: files.file)
    for text in ["sepia", "noir", "five", "entitlement", "grant", "credits\"", TestVault.bundleID.rawValue] {
      #expect(file.firstRange(of: Data(text.utf8)) == nil, "\(text)")
    }
    for (path, mode) in [(files.file.path, 0o600), (files.keyItem.path, 0o600), (files.keyFolder.path, 0o700)] {
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }
    let keys = FileVaultKeyStore(directory: files.keyFolder)
    #expect(try keys.load("purchase-vault") != nil)
    #expect(try keys.load("another") == nil)
    try keys.remove("purchase-vault")
    try keys.remove("purchase-vault")
    #expect(try keys.load("purchase-vault") == nil)
    #expect(throws: VaultError.self) { try keys.save(Data(), as: "../purchase-vault") }
  }
}

/// A key store in memory whose saves fail as the test says.
final class FailingKeyStore: VaultKeyStore {
  struct Failure: Error {}

  private let base = MemoryVaultKeyStore()
  private struct State: Sendable {
    var left: Int?
    var isAfter = false
    var failing = false
    var silent = false
  }

  private let state = LockedValue(State())

  /// Makes one of the next saves fail, before or after it has saved the value. `number` is 1 for the next save.
  func fail(at number: Int, isAfter: Bool) { state.withLock { ($0.left, $0.isAfter) = (number, isAfter) } }

  var isFailing: Bool {
    get { state.withLock { $0.failing } }
    set { state.withLock { $0.failing = newValue } }
  }

  var isSilent: Bool {
    get { state.withLock { $0.silent } }
    set { state.withLock { $0.silent = newValue } }
  }

  func load(_ name: String) throws -> Data? {
    if isSilent { throw Failure() }
    return base.load(name)
  }

  func save(_ value: Data, as name: String) throws {
    let (fails, saves) = state.withLock { state in
      guard !state.failing else { return (true, false) }
      guard let number = state.left else { return (false, true) }
      state.left = number == 1 ? nil : number - 1
      return (number == 1, number != 1 || state.isAfter)
    }
    if saves { base.save(value, as: name) }
    if fails { throw Failure() }
  }

  func remove(_ name: String) { base.remove(name) }
}
