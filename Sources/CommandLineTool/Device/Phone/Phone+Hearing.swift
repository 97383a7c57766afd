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
