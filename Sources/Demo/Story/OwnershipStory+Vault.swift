import Foundation
import PurchaseKit
import SampleApp
import SampleModel
import StoreModel

// The app is removed, and its files are tampered with.
extension OwnershipStory {
  func reinstallWithoutBackup(on phone: SampleAppPhone) async throws {
    open("The app is deleted and installed again, without a backup")
    try await buyCredits(on: phone, expecting: 5)
    try await phone.quit()
    try phone.removeApp()
    try phone.launch()
    try await expectFinding("\(VaultFinding.reinstalled)", on: phone)
    try phone.tell(.showBalance)
    check("the credits are frozen, not made up", try await phone.nextEvent() == .creditsFrozen(reason: "reinstalled"))
    try phone.tell(.restore)
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    try phone.tell(.startCreditsAnew)
    check("without a backup the credits begin at 0", try await phone.nextEvent() == .balance(0))
    try await phone.quit()
  }

  func reinstallWithBackup(on phone: SampleAppPhone) async throws {
    open("The app is deleted and installed again, with a backup")
    try await buyCredits(on: phone, expecting: 5)
    try FileManager.default.createDirectory(at: phone.documents, withIntermediateDirectories: true)
    let backup = phone.documents.appending(path: "backup")
    try phone.tell(.exportBackup(path: backup.path))
    guard case .exported(let key) = try await phone.nextEvent() else { throw DemoFailure("No backup was made.") }
    say("The customer keeps the key \(key.prefix(9))…")
    try phone.tell(.spend(2))
    check("2 credits are spent after the backup was made", try await phone.nextEvent() == .balance(3))
    try await phone.quit()
    try phone.removeApp()

    try phone.launch(isOffline: true)
    try await expectFinding("\(VaultFinding.reinstalled)", on: phone)
    try phone.tell(.importBackup(path: backup.path, key: BackupKey().text))
    let words = "\(BackupError.wrongKey)"
    check("another key opens nothing: \(words)", try await phone.nextEvent() == .importRefused(reason: words))
    try phone.tell(.importBackup(path: backup.path, key: key))
    let imported = try await phone.nextEvent()
    check(
      "without a network the filters are there at once, and the credits but for what was spent",
      imported == .imported(products: [greyscale, sepia], credits: .broughtBack(balance: 3), refused: nil))
    let titles = try await filters(on: phone).titles
    check("both filters can be applied", titles == [greyscale: "Use greyscale", sepia: "Use sepia"])
    try phone.tell(.importBackup(path: backup.path, key: key))
    check(
      "a second time it brings no credits",
      try await phone.nextEvent() == .imported(products: [], credits: .importedBefore, refused: nil))
    try await phone.quit()
  }

  func editVault(on phone: SampleAppPhone) async throws {
    open("A vault file is edited by hand")
    try phone.launch()
    // The backup may have been old. Until purchases are restored, the app reports that some may be missing.
    guard case .finding = try await phone.nextEvent() else { throw DemoFailure("Nothing was said of rebuilding.") }
    try phone.tell(.restore)
    try await expectRestored(on: phone, message: "2 purchases were restored.")
    try await phone.quit()
    let file = phone.appFolder.appending(path: SampleVault.fileName)
    var bytes = try Data(contentsOf: file)
    // Damages the end of every page except the first, which describes the file. SQLite stores records at the end of a page.
    let page = 4096
    for end in stride(from: 2 * page, through: bytes.count, by: page) {
      for index in end - 64..<end { bytes[index] ^= 0x5A }
    }
    try bytes.write(to: file)
    try phone.launch(isOffline: true)
    try phone.tell(.showFilters)
    var noticed: [String] = []
    var titles: [String: String]?
    while titles == nil {
      switch try await phone.nextEvent() {
      case .finding(let words): noticed.append(words)
      case .filters(let shown, _, _): titles = shown
      case let other: throw DemoFailure("The filters did not show: \(other)")
      }
    }
    check("it is noticed at the next launch: \(noticed.joined(separator: " "))", !noticed.isEmpty)
    check(
      "the filters are repaired from the receipt, without a network",
      titles == [greyscale: "Use greyscale", sepia: "Use sepia"])
    try phone.tell(.showBalance)
    let frozen = try await phone.nextEvent()
    // The reason depends on which records were at the ends of the pages.
    let reasons: [CreditFreeze.Reason] = [.headDamaged, .recordsDamaged]
    check(
      "the credits are frozen, and told so: nobody is believed who edits them",
      reasons.map { .creditsFrozen(reason: $0.rawValue) }.contains(frozen))
    try await phone.quit()
  }

  private func expectFinding(_ words: String, on phone: SampleAppPhone) async throws {
    check("it is noticed: \(words)", try await phone.nextEvent() == .finding(words))
    // The receipt was removed with the app, so the vault cannot be rebuilt from it yet.
    guard case .finding = try await phone.nextEvent() else { throw DemoFailure("Rebuilding did not fail.") }
  }

  private func buyCredits(on phone: SampleAppPhone, expecting balance: Int) async throws {
    if !phone.isRunning { try phone.launch() }
    try phone.tell(.showPrices)
    guard case .buttons = try await phone.nextEvent() else { throw DemoFailure("No prices came.") }
    try phone.tell(.buy(product: SampleCatalog.fiveCredits, quantity: 1, confirms: true))
    guard case .sheet = try await nextEvent(on: phone) else { throw DemoFailure("No sheet was shown.") }
    try await takeDelivery(of: SampleCatalog.fiveCredits, on: phone)
    try phone.tell(.showBalance)
    check("there are \(balance) credits", try await phone.nextEvent() == .balance(balance))
  }
}
