import Foundation
import PurchaseKit
import StoreModel
import Testing

// Changes to the file's bytes.
extension TamperingTests {
  @Test("F1 any byte of the file changed: detected, or without effect; nothing is ever gained")
  func anyByte() async throws {
    try await files.fill()
    let (pristine, keyItem) = (try Data(contentsOf: files.file), try Data(contentsOf: files.keyItem))
    var generator = SeededGenerator(seed: 11)
    var noticed = 0
    // All offsets of the first page's header, and a random sample of the rest.
    let places = Array(0..<100) + (0..<200).map { _ in Int.random(in: 0..<pristine.count, using: &generator) }
    for place in places {
      var changed = pristine
      changed[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      try changed.write(to: files.file)
      try keyItem.write(to: files.keyItem)
      let vault = try files.open()
      if vault.findings.isEmpty { try expectUntouched(vault) } else { noticed += 1 }
      let entitlements = try files.entitlements(vault)
      if vault.creditFreeze == nil { #expect(try vault.credits.balance() == 11, "byte \(place)") }
      if !entitlements.needRebuilding { #expect(try entitlements.isEntitled(to: TestVault.sepia), "byte \(place)") }
      #expect(try !entitlements.isEntitled(to: TestVault.noir), "byte \(place)")
      try vault.close()
      let again = try files.open()
      #expect(again.findings.isEmpty, "repaired after byte \(place)")
      try again.close()
    }
    #expect(noticed > places.count / 10)
  }

  @Test("F1 the file cut short at any page, or within one, is detected", arguments: [1, 50, 4096, 5000, 8192, 12_000])
  func truncated(length: Int) async throws {
    try await files.fill()
    try Data(contentsOf: files.file).prefix(length).write(to: files.file)
    let vault = try files.open()
    #expect(!vault.findings.isEmpty)
    let reason = try #require(vault.creditFreeze?.reason)
    try vault.close()
    try await expectRebuilt()
    try expectFrozen(reason)
  }

  @Test("F1 the file replaced by garbage is detected, and moved aside")
  func garbage() async throws {
    try await files.fill()
    let garbage = Data("these are my credits, all 500 of them".utf8) + Data(count: 8192)
    try garbage.write(to: files.file)
    try expectFindings([.fileUnreadable(reason: "file is not a database")])
    #expect(try Data(contentsOf: files.folder.appending(path: "vault.sqlite.aside-1")) == garbage)
    try await expectRebuilt()
    try expectFrozen(.fileUnreadable)
  }

  @Test("F1 the file emptied, or deleted, is detected", arguments: [true, false])
  func deleted(isEmptied: Bool) async throws {
    try await files.fill()
    if isEmptied { try Data().write(to: files.file) } else { try FileManager.default.removeItem(at: files.file) }
    try expectFindings([.fileMissing])
    try await expectRebuilt()
    try expectFrozen(.fileMissing)
  }

  @Test("F1 a changed schema is detected; authentic records are copied and stay")
  func schema() async throws {
    try await files.fill()
    try edit("CREATE TRIGGER more AFTER UPDATE ON head BEGIN DELETE FROM record; END")
    try expectFindings([.fileUnreadable(reason: "its schema was changed")])
    let vault = try files.open()
    #expect(vault.findings.isEmpty)
    try expectUntouched(vault)
    #expect(try aside == ["vault.sqlite.aside-1"])
  }
}
