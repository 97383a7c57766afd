import Foundation
import PurchaseKit
import Testing

// Replacement by older files and keys, or by those of other devices.
extension TamperingTests {
  @Test("F1 an older file put back is detected: spent credits stay spent")
  func olderFile() async throws {
    try await files.fill()
    let old = try Data(contentsOf: files.file)
    try files.use { _ = try $0.credits.spend(11, key: UUID(), date: TestVault.date) }
    try old.write(to: files.file)
    try expectFindings([.rolledBack])
    #expect(try aside == ["vault.sqlite.aside-1"])
    try await expectRebuilt()
    try expectFrozen(.rolledBack, lostBalance: 0)
  }

  @Test("F1 an older file with its older key item is not detected, as documented; a server's ledger would detect it")
  func olderFileAndKey() async throws {
    try await files.fill()
    let (old, oldKey) = (try Data(contentsOf: files.file), try Data(contentsOf: files.keyItem))
    try files.use { _ = try $0.credits.spend(11, key: UUID(), date: TestVault.date) }
    try old.write(to: files.file)
    try oldKey.write(to: files.keyItem)
    let vault = try files.open()
    #expect(vault.findings.isEmpty)
    try expectUntouched(vault)
  }

  @Test("F1 an older key item put back is detected, and gains nothing")
  func olderKey() async throws {
    try await files.fill()
    let oldKey = try Data(contentsOf: files.keyItem)
    for _ in 0..<3 { try files.use { _ = try $0.credits.spend(1, key: UUID(), date: TestVault.date) } }
    try oldKey.write(to: files.keyItem)
    try expectFindings([.keyRolledBack])
    #expect(try files.use { try $0.credits.balance() } == 8)
  }

  @Test("F1 a deleted key item is detected")
  func keyDeleted() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.keyItem)
    try expectFindings([.keyMissing])
    try await expectRebuilt()
    try expectFrozen(.keyMissing, lostBalance: nil)
  }

  @Test("F1 the key item replaced by garbage is detected")
  func keyGarbage() async throws {
    try await files.fill()
    try Data("{}".utf8).write(to: files.keyItem)
    try expectFindings([.keyUnreadable])
    try await expectRebuilt()
    try expectFrozen(.keyUnreadable, lostBalance: nil)
  }

  @Test("F1 file and key item deleted: a new, empty vault")
  func everythingDeleted() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.keyItem)
    try FileManager.default.removeItem(at: files.file)
    let vault = try files.open()
    #expect(vault.findings.isEmpty)
    #expect(try vault.credits.balance() == 0)
    #expect(try !files.entitlements(vault).isEntitled(to: TestVault.sepia))
  }

  @Test("F1 F2 copied to another device, with or without its key item: detected there", arguments: [true, false])
  func anotherDevice(withKey: Bool) async throws {
    try await files.fill()
    if !withKey { try FileManager.default.removeItem(at: files.keyItem) }
    let vault = try files.open(device: TestVault.otherDevice)
    #expect(vault.findings == [withKey ? .copiedFromElsewhere : .keyMissing])
    #expect(vault.entitlementsNeedRebuilding)
    #expect(vault.creditFreeze?.reason == (withKey ? .copiedFromElsewhere : .keyMissing))
    try vault.close()
    let again = try files.open(device: TestVault.otherDevice)
    #expect(again.findings.isEmpty)
    #expect(again.creditFreeze?.reason == (withKey ? .copiedFromElsewhere : .keyMissing))
  }

  @Test("F1 a file of another vault is detected")
  func anotherVault() async throws {
    try await files.fill()
    let rich = TestVault()
    try rich.use { _ = try $0.credits.grant(500, for: "9", productIdentifier: "many", date: TestVault.date) }
    try Data(contentsOf: rich.file).write(to: files.file)
    try expectFindings([.copiedFromElsewhere])
    try await expectRebuilt()
    try expectFrozen(.copiedFromElsewhere)
  }
}
