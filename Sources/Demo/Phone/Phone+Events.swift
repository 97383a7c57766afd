import PurchaseKit
import SampleApp

// The events that the app reports to the phone.
extension Phone {
  /// Handles an event that the app reported on its standard output.
  func handle(_ event: SampleAppEvent) {
    switch event {
    case .ready:
      // The app is being ended, so the event comes too late.
      guard state.isAlive else { return }
      // An unfinished purchase may make the app wait before it reports that it is ready.
      if state == .starting { become(.running) } else { signal.notify() }
      steps.add(StepReport(.launched))
    case .pageChanged: signal.notify()
    case .step(let report):
      steps.add(report)
      signal.notify()
    case .holding(let point):
      guard state.isAlive else { return }
      become(.holding(point))
      steps.add(StepReport(.holding))
      // The app waits only once, so that it gives the product at the next launch.
      save { $0.hold = nil }
    case .account(let account):
      save { settings in
        settings.isSignedIn = account != nil
        if let account { settings.account = account }
      }
      tell(.good(account.map { "Signed in to the store as \($0)." } ?? "Signed out of the store."))
    case .accountUnchanged(let reason): tell(.bad(reason))
    case .exported(let key): backedUp(key)
    case .imported(let products, let credits, let refused): imported(products, credits, refused)
    case .importRefused(let reason): tell(.bad(reason))
    case .orderFailed(let reason):
      backupUnderWay = nil
      tell(.bad(reason))
    case .finding(let words): tell(.bad(words))
    default: break
    }
  }

  private func backedUp(_ key: String) {
    guard let file = backupUnderWay else { return }
    backupUnderWay = nil
    save { $0.lastBackup = .init(file: file, key: key) }
    steps.add(StepReport(.backedUp, words: file))
    tell(.good("Backed up. Write the key down: without it the backup cannot be read."))
  }

  private func imported(_ products: [String], _ credits: BackupImport.Credits, _ refused: String?) {
    steps.add(StepReport(.backupRestored))
    let outcome = BackupOutcome(products: products, credits: credits, refused: refused)
    tell(PhoneMessage(words: outcome.words, isBad: refused != nil))
  }

  /// Changes the settings. Shows a message if they cannot be written, because the change would be lost at the phone's next
  /// start.
  func save(_ change: (inout PhoneSettings) -> Void) {
    do {
      try self.change(change)
    } catch {
      tell(.bad("The phone’s settings could not be kept: \(error)"))
    }
  }
}

/// The result of restoring a backup, in words for the phone's owner.
struct BackupOutcome: Hashable, Sendable {
  let products: [String]
  let credits: BackupImport.Credits
  /// Why the purchases were refused; nil if they were accepted.
  let refused: String?

  var words: String { [purchaseWords, creditWords].filter { !$0.isEmpty }.joined(separator: " ") }

  private var purchaseWords: String {
    if let refused { return "The purchases of the backup were not believed: \(refused)" }
    if products.isEmpty { return "No purchases were new." }
    let names = products.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
    return "Purchases are back: \(names.joined(separator: ", "))."
  }

  private var creditWords: String {
    switch credits {
    case .broughtBack(let balance): "There are \(balance) monkey credits again."
    case .notInBackup: ""
    case .importedBefore: "Its credits were brought back before, which can be done once."
    case .currentAreNewer: "The credits here are newer, and stay."
    case .ofAnotherVault: "Its credits stay with the phone that made it."
    }
  }
}
