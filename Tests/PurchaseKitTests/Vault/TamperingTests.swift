import Foundation
import GRDB
import PurchaseKit
import SignedData
import StoreModel
import Testing

/// The table at the end of Documentation/vault.md, row by row, on real files.
@Suite("Tampering with a vault", .timeLimit(.minutes(5)))
struct TamperingTests {
  private let files = TestVault()

  // MARK: What holds whatever was done

  /// Everything is as it was before.
  private func expectUntouched(_ vault: PurchaseVault) throws {
    let entitlements = try files.entitlements(vault)
    #expect(try vault.credits.balance() == 11)
    #expect(try vault.credits.grants().map(\.transactionIdentifier) == ["1", "2"])
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
    #expect(try !entitlements.isEntitled(to: TestVault.noir))
    #expect(!entitlements.needRebuilding)
  }

  /// The credits are frozen, now and after another launch; nothing is given in the meantime; a fresh start helps.
  private func expectFrozen(_ reason: CreditFreeze.Reason) throws {
    let freeze = CreditFreeze(reason: reason, date: TestVault.date)
    let date = TestVault.date
    for _ in 0..<2 {
      try files.use { vault in
        let credits = vault.credits
        #expect(vault.creditFreeze == freeze)
        #expect(throws: CreditError.frozen(freeze)) { try credits.balance() }
        #expect(throws: CreditError.frozen(freeze)) { try credits.spend(1, key: UUID(), date: date) }
        #expect(throws: CreditError.frozen(freeze)) {
          try credits.grant(5, for: "3", productIdentifier: "five", date: date)
        }
        #expect(vault.findings.isEmpty, "what was found once is repaired")
      }
    }
    try files.use { vault in
      try vault.startCreditsAnew()
      #expect(try vault.credits.balance() == 0)
      #expect(try vault.credits.grant(5, for: "3", productIdentifier: "five", date: date).balance == 5)
      #expect(throws: CreditError.notFrozen) { try vault.startCreditsAnew() }
    }
  }

  /// Nobody owns anything until it is rebuilt from the receipt; then sepia is owned again, and noir is not.
  private func expectRebuilt() async throws {
    let vault = try files.open()
    var entitlements = try files.entitlements(vault)
    #expect(entitlements.needRebuilding)
    #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    try await entitlements.rebuild(from: files.reader())
    try vault.close()
    let again = try files.open()
    entitlements = try files.entitlements(again)
    #expect(!entitlements.needRebuilding)
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
    #expect(try !entitlements.isEntitled(to: TestVault.noir))
    try again.close()
  }

  private func expectFindings(_ expected: [VaultFinding]) throws {
    var reported: [VaultFinding] = []
    let vault = try files.open { reported.append($0) }
    #expect(vault.findings == expected)
    #expect(reported == expected)
    try vault.close()
  }

  private func edit(_ sql: String, _ arguments: StatementArguments = []) throws {
    let database = try DatabaseQueue(path: files.file.path)
    try database.write { try $0.execute(sql: sql, arguments: arguments) }
    try database.close()
  }

  private func rows() throws -> [(name: Data, box: Data)] {
    let database = try DatabaseQueue(path: files.file.path)
    defer { try? database.close() }
    return try database.read { database in
      try Row.fetchAll(database, sql: "SELECT name, box FROM record ORDER BY name").map { ($0["name"], $0["box"]) }
    }
  }

  private var aside: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: files.folder.path).filter { $0.contains(".aside-") }.sorted()
    }
  }

  // MARK: The file's bytes

  @Test("F1 any byte of the file changed: noticed, or of no effect; nothing is ever gained")
  func anyByte() async throws {
    try await files.fill()
    let (pristine, keyItem) = (try Data(contentsOf: files.file), try Data(contentsOf: files.keyItem))
    var generator = SeededGenerator(seed: 11)
    var noticed = 0
    // All of the first page's header, and a sample of the rest.
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

  @Test("F1 the file cut short at any page, or in one, is noticed", arguments: [1, 50, 4096, 5000, 8192, 12_000])
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

  @Test("F1 the file replaced by garbage is noticed, and moved aside")
  func garbage() async throws {
    try await files.fill()
    let garbage = Data("these are my credits, all 500 of them".utf8) + Data(count: 8192)
    try garbage.write(to: files.file)
    try expectFindings([.fileUnreadable(reason: "file is not a database")])
    #expect(try Data(contentsOf: files.folder.appending(path: "vault.sqlite.aside-1")) == garbage)
    try await expectRebuilt()
    try expectFrozen(.fileUnreadable)
  }

  @Test("F1 the file emptied, or deleted, is noticed", arguments: [true, false])
  func deleted(isEmptied: Bool) async throws {
    try await files.fill()
    if isEmptied { try Data().write(to: files.file) } else { try FileManager.default.removeItem(at: files.file) }
    try expectFindings([.fileMissing])
    try await expectRebuilt()
    try expectFrozen(.fileMissing)
  }

  @Test("F1 a schema that was changed is noticed; what authenticates is read out of it and stays")
  func schema() async throws {
    try await files.fill()
    try edit("CREATE TRIGGER more AFTER UPDATE ON head BEGIN DELETE FROM record; END")
    try expectFindings([.fileUnreadable(reason: "its schema was changed")])
    let vault = try files.open()
    #expect(vault.findings.isEmpty)
    try expectUntouched(vault)
    #expect(try aside == ["vault.sqlite.aside-1"])
  }

  // MARK: Records

  @Test("F1 a record removed is noticed in its compartment, and the other one stays")
  func removed() async throws {
    try await files.fill()
    let (pristine, keyItem) = (try Data(contentsOf: files.file), try Data(contentsOf: files.keyItem))
    var found: [VaultFinding: Int] = [:]
    for row in try rows() {
      try pristine.write(to: files.file)
      try keyItem.write(to: files.keyItem)
      try edit("DELETE FROM record WHERE name = ?", [row.name])
      let vault = try files.open()
      try #require(vault.findings.count == 1)
      found[vault.findings[0], default: 0] += 1
      if vault.findings == [.recordsDamaged(.credits)] {
        #expect(vault.creditFreeze?.reason == .recordsDamaged)
        #expect(try files.entitlements(vault).isEntitled(to: TestVault.sepia))
        #expect(!vault.entitlementsNeedRebuilding)
        try vault.close()
        try expectFrozen(.recordsDamaged)
      } else {
        #expect(try vault.credits.balance() == 11)
        try vault.close()
        try await expectRebuilt()
      }
    }
    #expect(found == [.recordsDamaged(.credits): 3, .recordsDamaged(.entitlements): 2])
  }

  @Test("F1 boxes of two records exchanged are noticed")
  func exchanged() async throws {
    try await files.fill()
    let rows = try rows()
    try edit("UPDATE record SET box = ? WHERE name = ?", [rows[0].box, rows[1].name])
    try edit("UPDATE record SET box = ? WHERE name = ?", [rows[1].box, rows[0].name])
    let vault = try files.open()
    #expect(!vault.findings.isEmpty)
    #expect(Set(vault.findings).isSubset(of: [.recordsDamaged(.credits), .recordsDamaged(.entitlements)]))
    try vault.close()
  }

  @Test("F1 a record's older box put back is noticed: a refund cannot be undone so")
  func olderBox() async throws {
    try files.put(receipt: [.init(id: 200, product: TestVault.noir)], at: TestVault.date.addingTimeInterval(-60))
    let vault = try files.open()
    try await files.entitlements(vault).merge(files.reader().receipt())
    #expect(try files.entitlements(vault).isEntitled(to: TestVault.noir))
    try vault.close()
    let old = try rows()[0]
    try await files.fill()
    try edit("UPDATE record SET box = ? WHERE name = ?", [old.box, old.name])
    try expectFindings([.recordsDamaged(.entitlements)])
    #expect(try files.use { try $0.credits.balance() } == 11)
    try await expectRebuilt()
  }

  @Test("F1 a revocation that authenticates outlives the damage of its compartment")
  func tombstone() async throws {
    try await files.fill()
    let pristine = try Data(contentsOf: files.file)
    let keyItem = try Data(contentsOf: files.keyItem)
    var kept = 0
    for row in try rows() {
      try pristine.write(to: files.file)
      try keyItem.write(to: files.keyItem)
      try edit("DELETE FROM record WHERE name = ?", [row.name])
      let vault = try files.open()
      let entitlements = try files.entitlements(vault)
      if vault.findings == [.recordsDamaged(.entitlements)], entitlements.entitlements.count == 1 {
        kept += 1
        // Delivered again, what was refunded gives nothing.
        try await entitlements.deliver(
          .init(
            transactionIdentifier: "200", productIdentifier: TestVault.noir, quantity: 1, date: TestVault.date))
        #expect(try !entitlements.isEntitled(to: TestVault.noir))
      }
      try vault.close()
    }
    #expect(kept == 1)
  }

  @Test("F1 rows that were added are noticed and removed, and nothing else is lost")
  func added() async throws {
    try await files.fill()
    let box = try rows()[0].box
    try edit("INSERT INTO record (name, box) VALUES (?, ?)", [Data(repeating: 7, count: 32), box])
    try expectFindings([.foreignRecords(count: 1)])
    #expect(try rows().count == 5)
    try expectUntouched(files.open())
  }

  // MARK: Head

  @Test("F1 the head changed is noticed, also its name in the clear")
  func head() async throws {
    try await files.fill()
    let pristine = try Data(contentsOf: files.file)
    let keyItem = try Data(contentsOf: files.keyItem)
    try edit("UPDATE head SET box = ?", [Data(repeating: 1, count: 200)])
    try expectFindings([.headDamaged])
    try await expectRebuilt()
    try expectFrozen(.headDamaged)
    try pristine.write(to: files.file)
    try keyItem.write(to: files.keyItem)
    try edit("UPDATE head SET vaultID = ?", [UUID().uuidString])
    try expectFindings([.copiedFromElsewhere])
    try await expectRebuilt()
    try expectFrozen(.copiedFromElsewhere)
  }

  @Test("F1 an older head over newer records is noticed")
  func olderHead() async throws {
    let database: (String) throws -> Data = { sql in
      let queue = try DatabaseQueue(path: self.files.file.path)
      defer { try? queue.close() }
      return try queue.read { try Data.fetchOne($0, sql: sql) } ?? Data()
    }
    try await files.fill()
    let old = try database("SELECT box FROM head")
    try files.use { _ = try $0.credits.spend(11, key: UUID(), date: TestVault.date) }
    try edit("UPDATE head SET box = ?", [old])
    try expectFindings([.rolledBack])
    try expectFrozen(.rolledBack)
  }

  // MARK: Rollback

  @Test("F1 an older file put back is noticed: what was spent stays spent")
  func olderFile() async throws {
    try await files.fill()
    let old = try Data(contentsOf: files.file)
    try files.use { _ = try $0.credits.spend(11, key: UUID(), date: TestVault.date) }
    try old.write(to: files.file)
    try expectFindings([.rolledBack])
    #expect(try aside == ["vault.sqlite.aside-1"])
    try await expectRebuilt()
    try expectFrozen(.rolledBack)
  }

  @Test("F1 an older file with its older key item is not noticed, as documented; with a server's ledger it would be")
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

  @Test("F1 an older key item put back is noticed, and gains nothing")
  func olderKey() async throws {
    try await files.fill()
    let oldKey = try Data(contentsOf: files.keyItem)
    for _ in 0..<3 { try files.use { _ = try $0.credits.spend(1, key: UUID(), date: TestVault.date) } }
    try oldKey.write(to: files.keyItem)
    try expectFindings([.keyRolledBack])
    #expect(try files.use { try $0.credits.balance() } == 8)
  }

  // MARK: Keys and devices

  @Test("F1 the key item deleted is noticed")
  func keyDeleted() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.keyItem)
    try expectFindings([.keyMissing])
    try await expectRebuilt()
    try expectFrozen(.keyMissing)
  }

  @Test("F1 the key item replaced by garbage is noticed")
  func keyGarbage() async throws {
    try await files.fill()
    try Data("{}".utf8).write(to: files.keyItem)
    try expectFindings([.keyUnreadable])
    try await expectRebuilt()
    try expectFrozen(.keyUnreadable)
  }

  @Test("F1 file and key item deleted: a new vault, with nothing in it")
  func everythingDeleted() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.keyItem)
    try FileManager.default.removeItem(at: files.file)
    let vault = try files.open()
    #expect(vault.findings.isEmpty)
    #expect(try vault.credits.balance() == 0)
    #expect(try !files.entitlements(vault).isEntitled(to: TestVault.sepia))
  }

  @Test("F1 F2 copied to another device, with or without its key item: noticed there", arguments: [true, false])
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

  @Test("F1 another vault's file put in the place of one's own is noticed")
  func anotherVault() async throws {
    try await files.fill()
    let rich = TestVault()
    try rich.use { _ = try $0.credits.grant(500, for: "9", productIdentifier: "many", date: TestVault.date) }
    try Data(contentsOf: rich.file).write(to: files.file)
    try expectFindings([.copiedFromElsewhere])
    try await expectRebuilt()
    try expectFrozen(.copiedFromElsewhere)
  }

  // MARK: Receipt

  @Test("F1 a receipt file that was edited, or is another device's or another signer's, rebuilds nothing")
  func receipt() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.file)
    let vault = try files.open()
    let entitlements = try files.entitlements(vault)
    var edited = try Data(contentsOf: files.receipt)
    let place = try #require(edited.firstRange(of: Data(TestVault.sepia.utf8)))
    edited[place.lowerBound] ^= 1
    let elsewhere = try TestReceipt.signed([.init(id: 1, product: TestVault.noir)], device: TestVault.otherDevice)
    let forged = try TestReceipt.signed([.init(id: 1, product: TestVault.noir)], by: IssuingAuthority())
    for (receipt, fault) in [(edited, VerificationFailure.Fault.signature), (elsewhere, .device), (forged, .chain)] {
      try receipt.write(to: files.receipt)
      let error = await #expect(throws: ReceiptError.self) { try await entitlements.rebuild(from: files.reader()) }
      guard case .refused(let failure) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(failure.fault == fault)
      #expect(entitlements.needRebuilding)
      #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    }
    try FileManager.default.removeItem(at: files.receipt)
    await #expect(throws: ReceiptError.missing) { try await entitlements.rebuild(from: files.reader()) }
  }
}
