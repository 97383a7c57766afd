import Foundation
import PurchaseKit
import SampleApp
import SampleModel
import StoreModel

// The app is removed, and its files are tampered with.
extension OwnershipScript {
  func reinstallWithoutBackup(on phone: SampleAppPhone) async throws {
    beginChapter("The app is deleted and installed again, without a backup")
    try await buyCredits(on: phone, expecting: 5)
    try await phone.quit()
    try phone.removeApp()
    try phone.launch()
    try await expectFinding("\(VaultFinding.reinstalled)", on: phone)
    try phone.send(.showBalance)
    check("the credits are frozen", try await phone.nextEvent() == .creditsFrozen(reason: "reinstalled"))
    try phone.send(.restore(on: .filters))
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    try phone.send(.discardFrozenCredits())
    guard case .creditsAtRisk(let loss?) = try await phone.nextEvent() else {
      throw DemoFailure("The app did not say what would be lost.")
    }
    let text = loss.customerMessage(SampleCatalog.customerNames)
    check("before they are given up the app says: \"\(text)\"", loss.credits == 5 && loss.purchases.count == 1)
    try phone.send(.discardFrozenCredits(accepting: loss))
    check("without a backup the credits start at 0", try await phone.nextEvent() == .balance(0))
    try await phone.quit()
  }

  func reinstallWithBackup(on phone: SampleAppPhone) async throws {
    beginChapter("The app is deleted and installed again, with a backup")
    try await buyCredits(on: phone, expecting: 5)
    try FileManager.default.createDirectory(at: phone.documents, withIntermediateDirectories: true)
    let backup = phone.documents.appending(path: "backup")
    try phone.send(.exportBackup(path: backup.path))
    guard case .exported(let key) = try await phone.nextEvent() else { throw DemoFailure("No backup was made.") }
    explain("The customer keeps the key \(key.prefix(9))…")
    try phone.send(.spend(2, key: UUID()))
    check("2 credits are spent after the backup was made", try await phone.nextEvent() == .balance(3))
    try await phone.quit()
    try phone.removeApp()

    try phone.launch(isOffline: true)
    try await expectFinding("\(VaultFinding.reinstalled)", on: phone)
    try phone.send(.importBackup(path: backup.path, key: BackupKey().text))
    let reason = "\(BackupError.wrongKey)"
    check("another key is refused: \(reason)", try await phone.nextEvent() == .importRefused(reason: reason))
    try phone.send(.importBackup(path: backup.path, key: key))
    let imported = try await phone.nextEvent()
    check(
      "without a network the backup restores the filters, and the credits except the spent ones",
      imported == .imported(products: [greyscale, sepia], credits: .broughtBack(balance: 3), refused: nil))
    let titles = try await filters(on: phone).titles
    check("both filters can be applied", titles == [greyscale: "Use greyscale", sepia: "Use sepia"])
    try phone.send(.importBackup(path: backup.path, key: key))
    check(
      "a second import restores no credits",
      try await phone.nextEvent() == .imported(products: [], credits: .importedBefore, refused: nil))
    try await phone.quit()
  }

  func editVault(on phone: SampleAppPhone) async throws {
    beginChapter("The vault's file is edited")
    try phone.launch()
    // The reinstalled app has no receipt. Until purchases are restored, each launch reports that the vault cannot be
    // rebuilt.
    guard case .finding = try await phone.nextEvent() else {
      throw DemoFailure("The app did not report that the vault was rebuilt.")
    }
    try phone.send(.restore(on: .filters))
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    try await phone.quit()
    let file = phone.appFolder.appending(path: SampleVault.fileName)
    var bytes = try Data(contentsOf: file)
    // Damages the end of every page except the first, which describes the file. SQLite stores records at the end of a
    // page.
    let page = 4096
    for end in stride(from: 2 * page, through: bytes.count, by: page) {
      for index in end - 64..<end { bytes[index] ^= 0x5A }
    }
    try bytes.write(to: file)
    try phone.launch(isOffline: true)
    try phone.send(.showFilters)
    var noticed: [String] = []
    var titles: [String: String]?
    while titles == nil {
      switch try await phone.nextEvent() {
      case .finding(let reason): noticed.append(reason)
      case .filters(let shown, _, _): titles = shown
      case let other: throw DemoFailure("The filters were not shown: \(other)")
      }
    }
    check("the change is detected at the next launch: \(noticed.joined(separator: " "))", !noticed.isEmpty)
    check(
      "the filters are repaired from the receipt, without a network",
      titles == [greyscale: "Use greyscale", sepia: "Use sepia"])
    try phone.send(.showBalance)
    let frozen = try await phone.nextEvent()
    // The reason depends on which records were at the ends of the pages.
    let reasons: [CreditFreeze.Reason] = [.headDamaged, .recordsDamaged]
    check(
      "the credits are frozen, because the file was edited",
      reasons.map { .creditsFrozen(reason: $0.rawValue) }.contains(frozen))
    try await phone.quit()
  }

  private func expectFinding(_ reason: String, on phone: SampleAppPhone) async throws {
    check("the vault reports: \(reason)", try await phone.nextEvent() == .finding(reason))
    // The receipt was removed with the app, so the vault cannot be rebuilt from it yet.
    guard case .finding = try await phone.nextEvent() else { throw DemoFailure("Rebuilding did not fail.") }
  }

  private func buyCredits(on phone: SampleAppPhone, expecting balance: Int) async throws {
    if !phone.isRunning { try phone.launch() }
    try phone.send(.showPrices)
    guard case .buttons = try await phone.nextEvent() else { throw DemoFailure("The app did not report its prices.") }
    try phone.send(.buy(product: SampleCatalog.fiveCredits, quantity: 1, confirms: true))
    guard case .sheet = try await nextEvent(on: phone) else { throw DemoFailure("No sheet was shown.") }
    try await takeDelivery(of: SampleCatalog.fiveCredits, on: phone)
    try phone.send(.showBalance)
    check("the balance is \(balance) credits", try await phone.nextEvent() == .balance(balance))
  }
}
