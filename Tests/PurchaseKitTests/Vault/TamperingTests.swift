import Foundation
import GRDB
import PurchaseKit
import SignedData
import StoreModel
import Testing

/// Tests each row of the table at the end of Documentation/vault.md, on real files.
@Suite("Tampering with a vault", .timeLimit(.minutes(30)))
struct TamperingTests {
  let files = TestVault()

  /// Expects that the vault has all its data.
  func expectUntouched(_ vault: PurchaseVault) throws {
    let entitlements = try files.entitlements(vault)
    #expect(try vault.credits.balance() == 11)
    #expect(try vault.credits.grants().map(\.transactionIdentifier) == ["1", "2"])
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
    #expect(try !entitlements.isEntitled(to: TestVault.noir))
    #expect(!entitlements.needRebuilding)
  }

  /// Expects that the credits are frozen, also after another launch, and that a reset ends the freeze.
  ///
  /// - Parameter lostBalance: the balance that the freeze reports as lost; nil if the key item was lost, too.
  func expectFrozen(_ reason: CreditFreeze.Reason, lostBalance: Int? = 11) throws {
    let freeze = CreditFreeze(reason: reason, date: TestVault.date, lostBalance: lostBalance)
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
      try vault.resetCredits(accepting: vault.creditsAtRisk)
      #expect(try vault.credits.balance() == 0)
      #expect(try vault.credits.grant(5, for: "3", productIdentifier: "five", date: date).balance == 5)
      #expect(throws: CreditError.notFrozen) { try vault.resetCredits(accepting: vault.creditsAtRisk) }
    }
  }

  /// Expects that nothing is owned until entitlements are rebuilt from the receipt, and that then sepia is owned and noir is not.
  func expectRebuilt() async throws {
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

  func expectFindings(_ expected: [VaultFinding]) throws {
    var reported: [VaultFinding] = []
    let vault = try files.open { reported.append($0) }
    #expect(vault.findings == expected)
    #expect(reported == expected)
    try vault.close()
  }

  func edit(_ sql: String, _ arguments: StatementArguments = []) throws {
    let database = try DatabaseQueue(path: files.file.path)
    try database.write { try $0.execute(sql: sql, arguments: arguments) }
    try database.close()
  }

  func rows() throws -> [(name: Data, box: Data)] {
    let database = try DatabaseQueue(path: files.file.path)
    defer { try? database.close() }
    return try database.read { database in
      try Row.fetchAll(database, sql: "SELECT name, box FROM record ORDER BY name").map { ($0["name"], $0["box"]) }
    }
  }

  var aside: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: files.folder.path).filter { $0.contains(".aside-") }.sorted()
    }
  }
}
