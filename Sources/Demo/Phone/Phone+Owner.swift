import Foundation
import SampleApp

// What the phone's owner does in its settings.
extension Phone {
  /// Takes the network away from the app, or gives it back.
  func setAirplaneMode(_ isOn: Bool) throws {
    guard isOn != settings.isInAirplaneMode else { return }
    try change { $0.isInAirplaneMode = isOn }
    if state.isAlive { try order(.goOffline(isOn)) }
    steps.add(StepReport(isOn ? .networkLost : .networkBack))
  }

  /// Forbids purchases on the phone, or allows them.
  func setRestricted(_ isRestricted: Bool) throws {
    guard isRestricted != settings.isRestricted else { return }
    try change { $0.isRestricted = isRestricted }
    if state.isAlive { try order(.restrict(isRestricted)) }
    steps.add(StepReport(isRestricted ? .restricted : .allowed))
  }

  /// Has the app wait when the store has charged the next payment.
  func setHold(_ isArmed: Bool) throws {
    let point: HoldPoint? = isArmed ? .charged : nil
    try change { $0.hold = point }
    if state.isAlive { try order(.hold(point)) }
  }

  /// The store is asked through the app, which is where somebody signs in; its answer becomes a message.
  func signIn(_ account: String, password: String) throws {
    guard !account.isEmpty else { throw PhoneRefusal.noAccount }
    try order(.signIn(account: account, password: password.isEmpty ? nil : password))
    tell(nil)
  }

  /// Signs out of the store, through the app; its answer becomes a message.
  func signOut() throws {
    try order(.signOut)
    tell(nil)
  }

  /// Removes the app with all it keeps. The keychain stays, and the backups.
  func removeApp() async throws {
    guard state != .notInstalled else { return }
    try await end(.notInstalled) {
      try folder.removeApp()
      // The store knew an installation, which has gone.
      try change { settings in
        settings.isInstalled = false
        settings.isSignedIn = false
      }
    }
    steps.add(StepReport(.appRemoved))
  }

  /// Puts the app on the phone again, as new; it is not started.
  func installApp() throws {
    guard state == .notInstalled else { return }
    guard !isEnding else { throw PhoneRefusal.ending }
    try change { $0.isInstalled = true }
    become(.stopped(reason: nil))
    steps.add(StepReport(.appInstalled))
  }

  /// Has the app write a backup into the documents.
  func backUp() throws {
    guard backupUnderWay == nil else { throw PhoneRefusal.busy }
    let name = folder.backupName(network.name, at: clock.now.date)
    try order(.exportBackup(path: folder.documents.appending(path: name).path))
    backupUnderWay = name
    tell(nil)
  }

  /// Has the app bring back what is in a backup.
  func restoreBackup(_ name: String, key: String) throws {
    let file = try folder.backup(name)
    guard !key.isEmpty else { throw PhoneRefusal.noKey }
    try order(.importBackup(path: file.path, key: key))
    tell(nil)
  }
}
