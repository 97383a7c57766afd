import PurchaseKit
import SampleApp

// What the app tells the phone.
extension Phone {
  /// Takes in what the app said on its standard output.
  func hear(_ event: SampleAppEvent) {
    switch event {
    case .ready:
      // What an app said that is being ended comes too late.
      guard state.isAlive else { return }
      // A purchase that was left unfinished may hold the app before it says that it is ready.
      if state == .starting { become(.running) } else { bell.ring() }
      steps.add(StepReport(.launched))
    case .pageChanged: bell.ring()
    case .step(let report):
      steps.add(report)
      bell.ring()
    case .holding(let point):
      guard state.isAlive else { return }
      become(.holding(point))
      steps.add(StepReport(.holding))
      // Once: the next launch is to deliver.
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
    tell(.good("Backed up. Write the key down: without it nobody can read the backup."))
  }

  private func imported(_ products: [String], _ credits: BackupImport.Credits, _ refused: String?) {
    steps.add(StepReport(.backupRestored))
    let outcome = BackupOutcome(products: products, credits: credits, refused: refused)
    tell(PhoneMessage(words: outcome.words, isBad: refused != nil))
  }

  /// What cannot be written is told: the phone would be another after its next start.
  func save(_ change: (inout PhoneSettings) -> Void) {
    do {
      try self.change(change)
    } catch {
      tell(.bad("The phone’s settings could not be kept: \(error)"))
    }
  }
}

/// What became of a backup that was brought back, in words for the phone's owner.
struct BackupOutcome: Hashable, Sendable {
  let products: [String]
  let credits: BackupImport.Credits
  /// Why the purchases were not believed; nil where they were.
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
