import Foundation
import GRDB
import PurchaseKit
import Testing

// Changes to the vault's records and its head.
extension TamperingTests {
  @Test("F1 a removed record is detected in its compartment, and the other compartment stays")
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

  @Test("F1 exchanged boxes of two records are detected")
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

  @Test("F1 an older box of a record is detected, so a refund cannot be reversed with it")
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

  @Test("F1 an authentic revocation survives the damage of its compartment")
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
        // Another delivery of the refunded purchase is refused.
        await #expect(throws: RefusedPurchase.self) {
          try await entitlements.deliver(
            .init(
              transactionIdentifier: "200", productIdentifier: TestVault.noir, quantity: 1, date: TestVault.date))
        }
        #expect(try !entitlements.isEntitled(to: TestVault.noir))
      }
      try vault.close()
    }
    #expect(kept == 1)
  }

  @Test("F1 added rows are detected and removed, and nothing else is lost")
  func added() async throws {
    try await files.fill()
    let box = try rows()[0].box
    try edit("INSERT INTO record (name, box) VALUES (?, ?)", [Data(repeating: 7, count: 32), box])
    try expectFindings([.foreignRecords(count: 1)])
    #expect(try rows().count == 5)
    try expectUntouched(files.open())
  }

  @Test("F1 a changed head is detected, also its name in plain text")
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

  @Test("F1 an older head with newer records is detected")
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
    try expectFrozen(.rolledBack, lostBalance: 0)
  }
}
