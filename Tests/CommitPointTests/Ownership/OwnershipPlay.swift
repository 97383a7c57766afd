import Foundation
import PurchaseKit
import SampleApp
import SampleModel

@testable import CommandLineTool

/// The customer of an ``OwnershipJourney``, who after an interruption looks what is there, and does what is missing.
final class OwnershipPlay: JourneyPlay {
  private let stage: Stage
  private let customer: SampleCustomer
  private let files: OwnershipFiles
  /// What the app has told of the backup it made.
  private var backupKey: String?
  private var isRemoved = false
  private var isImported = false

  init(_ stage: Stage) {
    self.stage = stage
    customer = SampleCustomer(stage)
    files = OwnershipFiles(stage)
    customer.didHear = { [unowned self] in hear($0) }
  }

  let parties = [Party.store, .app]

  func start(_ party: Party) async throws {
    try await customer.start(
      party,
      appArguments: ["--keychain", files.keychain.path, "--device-id", OwnershipFiles.deviceID.uuidString])
  }

  // MARK: What happens

  func play() async throws {
    begin(.buying)
    try await customer.buyCredits()
    try await customer.waitUntilNothingIsLeft()
    begin(.restoring)
    expect(try await !canUseSepia(), "sepia is there before anything was restored")
    try await restore()
    begin(.spending)
    try await spend()
    begin(.exporting)
    try await export()
    try await removeApp()
    // Whose receipts are to be believed, a new installation learns from the store.
    try await customer.waitUntilNothingIsLeft()
    expect(try await customer.balance() == nil, "the credits of a lost vault are not frozen")
    expect(try await !canUseSepia(), "sepia is there before anything was imported")
    begin(.importing)
    try await importBackup()
    try await lookAtWhatIsThere()
    try await stage.quit(.app)
    try await stage.quit(.store)
  }

  func settle() async throws {
    try await customer.waitUntilNothingIsLeft()
    if !isRemoved {
      // Whether they were bought or spent before the app could tell, the balance says.
      if try await customer.balance() == 0 {
        try await customer.buyCredits()
        try await customer.waitUntilNothingIsLeft()
      }
      if try await !canUseSepia() { try await restore() }
      if try await customer.balance() == 5 { try await spend() }
      if backupKey == nil { try await export() }
      try await removeApp()
      try await customer.waitUntilNothingIsLeft()
    }
    // Who was not told imports again: were the credits there already, they would be there twice.
    if !isImported { try await importBackup() }
    try await lookAtWhatIsThere()
  }

  private func begin(_ scene: OwnershipScene) { stage.begin(scene.rawValue) }

  private func restore() async throws {
    try customer.shop.tell(.restore)
    while true {
      guard case .restoreEnded(let message) = try await customer.next() else { continue }
      if message == "1 purchase was restored." { break }
      // The store's process is ending or beginning. Who is told so presses Restore again.
      expect(message == "The App Store cannot be reached.", "restoring ended with: \(message)")
      try customer.shop.tell(.restore)
    }
    try await customer.waitUntilNothingIsLeft()
  }

  private func spend() async throws {
    try customer.shop.tell(.spend(2))
    while true {
      switch try await customer.next() {
      case .balance(let balance): return expect(balance == 3, "after spending there are \(balance)")
      case .spendRefused(let reason, _): return expect(false, "nothing can be spent: \(reason)")
      default: continue
      }
    }
  }

  private func export() async throws {
    try customer.shop.tell(.exportBackup(path: files.backup.path))
    while backupKey == nil { _ = try await customer.next() }
  }

  /// The customer removes the app while it is not running, and installs it again. What is in the keychain stays.
  private func removeApp() async throws {
    try await stage.quit(.app)
    begin(.reinstalling)
    try FileManager.default.removeItem(at: customer.shop.appFolder)
    isRemoved = true
    try await start(.app)
  }

  private func importBackup() async throws {
    guard let backupKey else { return expect(false, "there is no backup to import") }
    try customer.shop.tell(.importBackup(path: files.backup.path, key: backupKey))
    while true {
      switch try await customer.next() {
      case .imported(_, _, refused: nil): return isImported = true
      case .imported(_, _, let reason?): return expect(false, "the backup's receipt was refused: \(reason)")
      case .importRefused(let reason): return expect(false, "the backup was refused: \(reason)")
      default: continue
      }
    }
  }

  private func lookAtWhatIsThere() async throws {
    expect(try await canUseSepia(), "sepia cannot be used after the import")
    let balance = try await customer.balance()
    expect(balance == 3, "after the import the balance is \(balance.map { "\($0)" } ?? "frozen")")
  }

  private func canUseSepia() async throws -> Bool {
    try customer.shop.tell(.showFilters)
    while true {
      if case .filters(let titles, _, _) = try await customer.next() {
        return titles[SampleCatalog.sepia] == "Use sepia"
      }
    }
  }

  private func hear(_ event: SampleAppEvent) {
    switch event {
    case .exported(let key): backupKey = key
    // Once the app was removed its vault's file is missing, and then there is no receipt to rebuild from.
    case .finding(VaultFinding.fileMissing.description) where isRemoved: break
    case .finding(VaultFinding.reinstalled.description) where isRemoved: break
    case .finding(ReceiptError.missing.description) where isRemoved: break
    case .finding(let words): customer.problems.append("the vault is not as the app left it: \(words)")
    default: break
    }
  }

  private func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
    if !holds { customer.problems.append(otherwise()) }
  }

  // MARK: The books

  func landmark(of party: Party) throws -> String? { try OwnershipBooks(stage).landmark(of: party) }

  func check() async throws -> [String] {
    let findings = try await OwnershipBooks(stage).check(backupKey: backupKey)
    return customer.problems + findings
  }
}
