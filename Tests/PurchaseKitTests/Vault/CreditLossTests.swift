import Foundation
import PurchaseKit
import SharedFixtures
import Testing

@Suite("Credits are given up only after their number was said", .timeLimit(.minutes(30)))
struct CreditLossTests {
  private let files = TestVault()
  private let key = BackupKey()
  private let names = CustomerNames(credits: "credits")
  private static let later = TestVault.date.addingTimeInterval(3 * 86_400)

  /// Makes a vault with 11 credits, a backup of it, and then buys 60 credits. The vault's file is lost after that.
  ///
  /// - Returns: the backup with 11 credits, and one with 71.
  private func lost() async throws -> (old: Data, new: Data) {
    try await files.fill()
    let vault = try files.open()
    let old = try await vault.export(under: key, receipts: files.reader())
    _ = try vault.credits.grant(60, for: "3", productIdentifier: "sixty", date: Self.later)
    let new = try await vault.export(under: key, receipts: files.reader())
    try vault.close()
    try FileManager.default.removeItem(at: files.file)
    return (old, new)
  }

  private func importing(
    _ backup: Data, into vault: PurchaseVault, accepting loss: CreditLoss? = nil
  ) async throws -> BackupImport.Credits {
    try await vault.importBackup(backup, under: key, receipts: files.reader(), accepting: loss).credits
  }

  @Test("F1 a backup with fewer credits: the loss is said in numbers, and nothing is given up before it is accepted")
  func olderBackup() async throws {
    let (old, _) = try await lost()
    let vault = try files.open()
    guard case .wouldLose(let loss) = try await importing(old, into: vault) else {
      Issue.record("nothing was said")
      return
    }
    #expect((loss.credits, loss.balanceAfter) == (60, 11))
    #expect(loss.purchases.map(\.transactionIdentifier) == ["3"])
    #expect(loss.customerMessage(names) == "60 credits bought on 2026-09-24 cannot be brought back.")
    #expect(vault.creditFreeze?.lostBalance == 71)
    #expect(throws: CreditError.self) { try vault.credits.balance() }
    // The entitlements lose nothing, and were restored at once.
    #expect(try files.entitlements(vault).isEntitled(to: TestVault.sepia))
    // The loss of another question is not accepted.
    #expect(try await importing(old, into: vault, accepting: vault.creditsAtRisk) == .wouldLose(loss))
    #expect(try await importing(old, into: vault, accepting: loss) == .broughtBack(balance: 11))
    #expect(try vault.credits.balance() == 11)
  }

  @Test("F1 F2 a customer who keeps everything as it is restores a newer backup later, and loses nothing")
  func newerBackup() async throws {
    let (old, new) = try await lost()
    let vault = try files.open()
    guard case .wouldLose = try await importing(old, into: vault) else {
      Issue.record("nothing was said")
      return
    }
    #expect(try await importing(new, into: vault) == .broughtBack(balance: 71))
  }

  @Test("F1 a reset needs the loss that is current; one of an earlier state is refused, and nothing is changed")
  func reset() async throws {
    _ = try await lost()
    let vault = try files.open()
    let loss = vault.creditsAtRisk
    #expect((loss.credits, loss.purchases.map(\.transactionIdentifier)) == (71, ["3", "2", "1"]))
    #expect(loss.customerMessage(names) == "71 credits bought from 2026-09-21 to 2026-09-24 cannot be brought back.")
    let other = TestVault()
    try await other.fill()
    let foreign = try other.use { $0.creditsAtRisk }
    #expect(throws: CreditError.lossNotAccepted(loss)) { try vault.resetCredits(accepting: foreign) }
    #expect(vault.creditFreeze != nil)
    try vault.resetCredits(accepting: loss)
    #expect(try vault.credits.balance() == 0)
    #expect(vault.creditsAtRisk.isNothing && vault.creditsAtRisk.purchases.isEmpty)
  }

  @Test("F1 B9 what was given up is not granted again, also if the key item was not saved after the reset")
  func grantedOnce() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.file)
    // The key item at a kill between the commit of the reset and the save of the key item.
    var keyItem = Data()
    try files.use { vault in
      keyItem = try Data(contentsOf: files.keyItem)
      try vault.resetCredits(accepting: vault.creditsAtRisk)
    }
    try keyItem.write(to: files.keyItem)
    for _ in 0..<2 {
      try files.use { vault in
        for (transaction, credits) in [("1", 5), ("2", 10)] {
          let grant = try vault.credits.grant(
            credits, for: transaction, productIdentifier: "any", date: TestVault.date)
          #expect(!grant.isNew && grant.balance == 0)
        }
      }
      // The file is lost once more, and given up once more.
      try FileManager.default.removeItem(at: files.file)
      try files.use { try $0.resetCredits(accepting: $0.creditsAtRisk) }
    }
    let isNew = try files.use {
      try $0.credits.grant(5, for: "3", productIdentifier: "five", date: TestVault.date).isNew
    }
    #expect(isNew)
  }

  @Test("F1 B9 every purchase that was given up is remembered, also the oldest of many")
  func grantedOnceOfMany() throws {
    let transactions = (1...40).map { "\($0)" }
    try files.use { vault in
      for (days, id) in transactions.enumerated() {
        _ = try vault.credits.grant(
          5, for: id, productIdentifier: "five", date: TestVault.date.addingTimeInterval(Double(days) * 86_400))
      }
    }
    for _ in 0..<2 {
      try FileManager.default.removeItem(at: files.file)
      try files.use { vault in
        try vault.resetCredits(accepting: vault.creditsAtRisk)
        for id in transactions {
          let grant = try vault.credits.grant(5, for: id, productIdentifier: "five", date: TestVault.date)
          #expect(!grant.isNew && grant.balance == 0, "transaction \(id)")
        }
        // A purchase that never gave credits gives them, even if it is older than all others.
        let old = try vault.credits.grant(
          1, for: "kept \(UUID())", productIdentifier: "one", date: TestVault.date.addingTimeInterval(-86_400))
        #expect(old.isNew)
        _ = try vault.credits.spend(1, key: UUID(), date: TestVault.date)
      }
    }
  }

  @Test("F1 B9 what an earlier version recorded as given up is not granted again")
  func givenUpByEarlierVersion() async throws {
    try await files.fill()
    var item = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: files.keyItem)) as? [String: Any])
    #expect(item.removeValue(forKey: "grantedTransactions") != nil)
    item["givenUpGrants"] = ["9"]
    try JSONSerialization.data(withJSONObject: item).write(to: files.keyItem)
    try FileManager.default.removeItem(at: files.file)
    for _ in 0..<2 {
      try files.use { vault in
        if vault.creditFreeze != nil { try vault.resetCredits(accepting: vault.creditsAtRisk) }
        for id in ["1", "2", "9"] {
          let grant = try vault.credits.grant(5, for: id, productIdentifier: "any", date: TestVault.date)
          #expect(!grant.isNew, "transaction \(id)")
        }
      }
    }
  }

  @Test("F1 if the key is lost, too, the loss says that its number is not known, and must be accepted as such")
  func unknown() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.keyItem)
    let vault = try files.open()
    let loss = vault.creditsAtRisk
    #expect(loss.credits == nil && !loss.isNothing)
    #expect(loss.customerMessage(names) == "Credits, whose number is not known, cannot be brought back.")
    try vault.resetCredits(accepting: loss)
    #expect(try vault.credits.balance() == 0)
  }

  @Test("F1 credits in use: the newest purchases that they come from are known, before the app is deleted")
  func inUse() async throws {
    try await files.fill()
    let vault = try files.open()
    #expect(vault.creditsAtRisk.credits == 11)
    #expect(vault.creditsAtRisk.freeze == nil)
    _ = try vault.credits.spend(10, key: UUID(), date: TestVault.date)
    #expect(vault.creditsAtRisk.purchases.map(\.transactionIdentifier) == ["2"])
    #expect(vault.creditsAtRisk.customerMessage(names) == "1 credit bought on 2026-09-21 cannot be brought back.")
    #expect(throws: CreditError.notFrozen) { try vault.resetCredits(accepting: vault.creditsAtRisk) }
  }

  @Test("F1 the purchases are found in the records if the key item is older than they are, or of an earlier version")
  func earlierKeyItem() async throws {
    try await files.fill()
    var item = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: files.keyItem)) as? [String: Any])
    #expect(item.removeValue(forKey: "recentGrants") != nil)
    try JSONSerialization.data(withJSONObject: item).write(to: files.keyItem)
    try files.open().close()
    try FileManager.default.removeItem(at: files.file)
    let vault = try files.open()
    #expect(vault.creditsAtRisk.credits == 11)
    #expect(vault.creditsAtRisk.purchases.map(\.transactionIdentifier) == ["2", "1"])
  }
}
