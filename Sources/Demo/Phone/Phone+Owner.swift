import Foundation
import SampleApp

// The commands of the phone's owner, from the settings.
extension Phone {
  /// Disconnects the app from the network, or reconnects it.
  func setAirplaneMode(_ isOn: Bool) throws {
    guard isOn != settings.isInAirplaneMode else { return }
    try change { $0.isInAirplaneMode = isOn }
    if state.isAlive { try send(.goOffline(isOn)) }
    steps.add(StepReport(isOn ? .networkLost : .networkBack))
  }

  /// Restricts purchases on the phone, or allows them.
  func setRestricted(_ isRestricted: Bool) throws {
    guard isRestricted != settings.isRestricted else { return }
    try change { $0.isRestricted = isRestricted }
    if state.isAlive { try send(.restrict(isRestricted)) }
    steps.add(StepReport(isRestricted ? .restricted : .allowed))
  }

  /// Sets whether the app stops after the store has charged the next payment. It then waits until it is killed.
  func setHold(_ isArmed: Bool) throws {
    let point: HoldPoint? = isArmed ? .charged : nil
    try change { $0.hold = point }
    if state.isAlive { try send(.hold(point)) }
  }

  /// Signs in to the store through the app, as real customers do. The store's answer is shown as a message.
  func signIn(_ account: String, password: String) throws {
    guard !account.isEmpty else { throw PhoneRefusal.noAccount }
    try send(.signIn(account: account, password: password.isEmpty ? nil : password))
    show(nil)
  }

  /// Signs out of the store through the app. The result is shown as a message.
  func signOut() throws {
    try send(.signOut)
    show(nil)
  }

  /// Removes the app and its data. The keychain and the backups stay.
  func removeApp() async throws {
    guard state != .notInstalled else { return }
    try await end(.notInstalled) {
      try folder.removeApp()
      // The sign-in belonged to the removed installation.
      try change { settings in
        settings.isInstalled = false
        settings.isSignedIn = false
      }
    }
    steps.add(StepReport(.appRemoved))
  }

  /// Installs the app again, without data. Does not start it.
  func installApp() throws {
    guard state == .notInstalled else { return }
    guard !isEnding else { throw PhoneRefusal.ending }
    try change { $0.isInstalled = true }
    become(.stopped(reason: nil))
    steps.add(StepReport(.appInstalled))
  }

  /// Commands the app to write a backup into the documents.
  func backUp() throws {
    guard backupUnderWay == nil else { throw PhoneRefusal.busy }
    let name = folder.backupName(network.name, at: clock.now.date)
    try send(.exportBackup(path: folder.documents.appending(path: name).path))
    backupUnderWay = name
    show(nil)
  }

  /// Commands the app to restore a backup.
  func restoreBackup(_ name: String, key: String) throws {
    let file = try folder.backup(name)
    guard !key.isEmpty else { throw PhoneRefusal.noKey }
    try send(.importBackup(path: file.path, key: key))
    show(nil)
  }
}
