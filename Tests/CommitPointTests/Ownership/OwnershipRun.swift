import Foundation
import PurchaseKit
import SampleApp
import SampleModel

@testable import CommandLineTool

/// The customer of an ``OwnershipScenario``. After an interruption the customer checks what is done, and does the rest.
final class OwnershipRun: ScenarioRun {
  private let environment: RunEnvironment
  private let customer: SampleCustomer
  private let files: OwnershipFiles
  /// The key of the backup; nil until the app has shown it.
  private var backupKey: String?
  private var isRemoved = false
  private var isImported = false

  init(_ environment: RunEnvironment) {
    self.environment = environment
    customer = SampleCustomer(environment)
    files = OwnershipFiles(environment)
    customer.onEvent = { [unowned self] in receive($0) }
  }

  let roles = [ProcessRole.store, .app]

  func start(_ role: ProcessRole) async throws {
    try await customer.start(
      role,
      appArguments: ["--keychain", files.keychain.path, "--device-id", OwnershipFiles.deviceID.uuidString])
  }

  // MARK: Running

  func perform() async throws {
    begin(.buying)
    try await customer.buyCredits()
    try await customer.waitUntilAllIsFinished()
    begin(.restoring)
    expect(try await !canUseSepia(), "sepia can be used before the restore")
    try await restore()
    begin(.spending)
    try await spend()
    begin(.exporting)
    try await export()
    try await removeApp()
    // A new installation receives the root certificate for receipts from the store.
    try await customer.waitUntilAllIsFinished()
    expect(try await customer.balance() == nil, "the credits of a lost vault are not frozen")
    expect(try await !canUseSepia(), "sepia can be used before the import")
    begin(.importing)
    try await importBackup()
    try await checkImportedItems()
    try await environment.quit(.app)
    try await environment.quit(.store)
  }

  func recover() async throws {
    try await customer.waitUntilAllIsFinished()
    if !isRemoved {
      // The app may have ended before it reported a purchase or a spend. The balance shows whether it was committed.
      if try await customer.balance() == 0 {
        try await customer.buyCredits()
        try await customer.waitUntilAllIsFinished()
      }
      if try await !canUseSepia() { try await restore() }
      if try await customer.balance() == 5 { try await spend() }
      if backupKey == nil { try await export() }
      try await removeApp()
      try await customer.waitUntilAllIsFinished()
    }
    // Without a confirmation the customer imports again. That must not grant the credits twice.
    if !isImported { try await importBackup() }
    try await checkImportedItems()
  }

  private func begin(_ phase: OwnershipPhase) { environment.begin(phase.rawValue) }

  private func restore() async throws {
    try customer.shop.send(.restore(on: .filters))
    while true {
      guard case .restoreEnded(let message) = try await customer.next() else { continue }
      if message == "1 purchase was restored." { break }
      // The store's process is ending or starting. The customer presses Restore again.
      expect(message == "The App Store cannot be reached.", "restoring ended with: \(message)")
      try customer.shop.send(.restore(on: .filters))
    }
    try await customer.waitUntilAllIsFinished()
  }

  private func spend() async throws {
    try customer.shop.send(.spend(2, key: UUID()))
    while true {
      switch try await customer.next() {
      case .balance(let balance): return expect(balance == 3, "after spending the balance is \(balance)")
      case .spendRefused(let reason, _): return expect(false, "spending was refused: \(reason)")
      default: continue
      }
    }
  }

  private func export() async throws {
    try customer.shop.send(.exportBackup(path: files.backup.path))
    while backupKey == nil { _ = try await customer.next() }
  }

  /// Removes the app while it is not running, and installs it again. The keychain stays.
  private func removeApp() async throws {
    try await environment.quit(.app)
    begin(.reinstalling)
    try FileManager.default.removeItem(at: customer.shop.appFolder)
    isRemoved = true
    try await start(.app)
  }

  private func importBackup() async throws {
    guard let backupKey else { return expect(false, "there is no backup to import") }
    try customer.shop.send(.importBackup(path: files.backup.path, key: backupKey))
    while true {
      switch try await customer.next() {
      case .imported(_, _, refused: nil): return isImported = true
      case .imported(_, _, let reason?): return expect(false, "the backup's receipt was refused: \(reason)")
      case .importRefused(let reason): return expect(false, "the backup was refused: \(reason)")
      default: continue
      }
    }
  }

  private func checkImportedItems() async throws {
    expect(try await canUseSepia(), "sepia cannot be used after the import")
    let balance = try await customer.balance()
    expect(balance == 3, "after the import the balance is \(balance.map { "\($0)" } ?? "frozen")")
  }

  private func canUseSepia() async throws -> Bool {
    try customer.shop.send(.showFilters)
    while true {
      if case .filters(let titles, _, _) = try await customer.next() {
        return titles[SampleCatalog.sepia] == "Use sepia"
      }
    }
  }

  private func receive(_ event: AppEvent) {
    switch event {
    case .exported(let key): backupKey = key
    // After the app was removed, its vault's file is missing, and there is no receipt to rebuild it from.
    case .finding(VaultFinding.fileMissing.description) where isRemoved: break
    case .finding(VaultFinding.reinstalled.description) where isRemoved: break
    case .finding(ReceiptError.missing.description) where isRemoved: break
    case .finding(let finding): customer.problems.append("the vault is not as the app left it: \(finding)")
    default: break
    }
  }

  private func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { customer.problems.append(message()) }
  }

  // MARK: Checking

  func diskState(of role: ProcessRole) throws -> String? { try OwnershipRecords(environment).diskState(of: role) }

  func check() async throws -> [String] {
    let findings = try await OwnershipRecords(environment).check(backupKey: backupKey)
    return customer.problems + findings
  }
}
