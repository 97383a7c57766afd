import PurchaseKit
import SampleApp
import SampleModel

// The events that the app reports to the phone.
extension Phone {
  /// Handles an event that the app reported on its standard output.
  func handle(_ event: AppEvent) {
    switch event {
    case .ready:
      // If the app is being ended, the event comes too late.
      guard state.isAlive else { return }
      // If an unfinished purchase reached the hold point before this event, the state is `.holding` and stays so.
      if state == .starting { become(.running) } else { signal.notify() }
      steps.add(StepReport(.launched))
    case .pageChanged: signal.notify()
    case .prompt(let prompt):
      // If the app is being ended, its prompt is gone.
      if state.isAlive { steps.show(prompt) }
    case .step(let report):
      steps.add(report)
      signal.notify()
    case .holding(let point):
      guard state.isAlive else { return }
      become(.holding(point))
      steps.add(StepReport(.holding))
      // The app stops here only once: the next launch has no hold point, and completes the purchase.
      save { $0.hold = nil }
    case .account(let account):
      save { settings in
        settings.isSignedIn = account != nil
        if let account { settings.account = account }
      }
    case .accountUnchanged(let reason):
      refusedSignIns += 1
      show(.bad(reason))
    case .creditsAtRisk(let loss):
      // Frozen credits are gone already: deleting the app loses no more of them.
      let loss = loss?.freeze == nil && loss?.isNothing == false ? loss : nil
      if settings.creditsAtRisk != loss { save { $0.creditsAtRisk = loss } }
    case .exported(let key): backedUp(key)
    case .imported(let products, let credits, let refused): imported(products, credits, refused)
    case .importRefused(let reason): show(.bad(reason))
    case .commandFailed(let reason):
      backupUnderWay = nil
      show(.bad(reason))
    case .finding(let text): show(.bad(text))
    default: break
    }
  }

  private func backedUp(_ key: String) {
    guard let file = backupUnderWay else { return }
    backupUnderWay = nil
    save { $0.lastBackup = .init(file: file, key: key, credits: $0.creditsAtRisk?.credits) }
    steps.add(StepReport(.backedUp, detail: file))
    show(.good("The backup is made. Write the key down: without it the backup cannot be read."))
  }

  private func imported(_ products: [String], _ credits: BackupImport.Credits, _ refused: String?) {
    steps.add(StepReport(.backupRestored))
    let outcome = BackupOutcome(products: products, credits: credits, refused: refused)
    show(PhoneMessage(text: outcome.text, isBad: refused != nil))
  }

  /// Changes the settings. Shows a message if they cannot be written, because the change would be lost at the phone's
  /// next start.
  func save(_ change: (inout PhoneSettings) -> Void) {
    do {
      try self.change(change)
    } catch {
      show(.bad("The device’s settings could not be saved: \(error)"))
    }
  }
}

/// The result of restoring a backup, in text for the phone's owner.
struct BackupOutcome: Hashable, Sendable {
  let products: [String]
  let credits: BackupImport.Credits
  /// The reason why the purchases were refused; nil if they were accepted.
  let refused: String?

  var text: String { [purchaseText, creditText].filter { !$0.isEmpty }.joined(separator: " ") }

  private var purchaseText: String {
    if let refused { return "The purchases of the backup could not be verified: \(refused)" }
    if products.isEmpty { return "The backup has no new purchases." }
    let names = products.map(ProductNames.ownerName)
    return "Restored purchases: \(names.joined(separator: ", "))."
  }

  private var creditText: String {
    switch credits {
    case .broughtBack(let balance): "The balance is \(balance) monkey credits."
    case .wouldLose(let loss):
      "Its credits were not restored: \(loss.text(SampleCatalog.customerNames)) would be lost. Answer the app’s question."
    case .notInBackup: ""
    case .importedBefore: "Its credits were restored before. They can be restored only once."
    case .currentAreNewer: "The credits on this device are newer, and stay unchanged."
    case .ofAnotherVault: "Its credits belong to the device that made it."
    }
  }
}
