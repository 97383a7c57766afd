import ControlAPI
import Foundation
import PurchaseKit
import SampleApp
import StoreModel

// The commands of the phone's owner, from the settings.
extension Phone {
  /// Disconnects the app from the network, or reconnects it.
  func setAirplaneMode(_ isOn: Bool) throws {
    guard isOn != settings.isInAirplaneMode else { return }
    beginCommand()
    try change { $0.isInAirplaneMode = isOn }
    if state.isAlive { try send(.goOffline(isOn)) }
    steps.add(StepReport(isOn ? .networkLost : .networkBack))
  }

  /// Restricts purchases on the phone, or allows them.
  func setRestricted(_ isRestricted: Bool) throws {
    guard isRestricted != settings.isRestricted else { return }
    beginCommand()
    try change { $0.isRestricted = isRestricted }
    if state.isAlive { try send(.restrict(isRestricted)) }
    steps.add(StepReport(isRestricted ? .restricted : .allowed))
  }

  /// Sets whether the app stops after the store has charged the next payment. It then waits until it is killed.
  func setHold(_ isArmed: Bool) throws {
    beginCommand()
    let point: HoldPoint? = isArmed ? .charged : nil
    try change { $0.hold = point }
    if state.isAlive { try send(.hold(point)) }
  }

  /// Sets the StoreKit that the app uses from its next start on.
  func setStoreKit(_ storeKit: StoreInterface) throws {
    guard storeKit != settings.storeKit else { return }
    beginCommand()
    try change { $0.storeKit = storeKit }
  }

  /// Begins a purchase in the App Store: the store asks the app to continue it.
  ///
  /// - Parameters:
  ///   - offer: the identifier of a win-back offer that the owner chose; nil for none.
  ///   - installation: the installation of the app.
  func beginPurchase(of product: ProductID, offer: String?, in installation: InstallationID) async throws {
    guard !settings.isInAirplaneMode else { throw PhoneRefusal.noAppStore("Turn airplane mode off first.") }
    beginCommand()
    do {
      _ = try await ControlAPIClient(address: network.store).call(
        ControlEndpoints.beginPromotedPurchase,
        body: PromotedPurchase(installationId: installation, productId: product, offerId: offer))
    } catch let error as ControlAPIError {
      throw PhoneRefusal.noAppStore("\(error)")
    }
  }

  /// Signs in to the store through the app, as real customers do. The settings show the account when the store has
  /// answered; a refusal is shown as a message.
  func signIn(_ account: String, password: String) throws {
    guard !account.isEmpty else { throw PhoneRefusal.noAccount }
    beginCommand()
    try send(.signIn(account: account, password: password.isEmpty ? nil : password))
  }

  /// Signs out of the store through the app.
  func signOut() throws {
    beginCommand()
    try send(.signOut)
  }

  /// Removes the app and its data. The keychain and the backups stay. If credits would be lost that the owner was not asked
  /// about, nothing is removed, and the owner is asked.
  ///
  /// - Parameter accepted: the number of credits to whose loss the owner has agreed; nil at first.
  func removeApp(accepting accepted: Int? = nil) async throws {
    guard state != .notInstalled else { return }
    beginCommand()
    if let loss = settings.creditsAtRisk, accepted == nil || accepted != loss.credits {
      deletionQuestion = loss
      signal.notify()
      return
    }
    try await end(.notInstalled) {
      try folder.removeApp()
      // The sign-in and the credits belonged to the removed installation.
      try change { settings in
        settings.isInstalled = false
        settings.isSignedIn = false
        settings.creditsAtRisk = nil
      }
    }
    steps.add(StepReport(.appRemoved))
  }

  /// Keeps the app, in answer to the question before its removal.
  func keepApp() { beginCommand() }

  /// Installs the app again, without data. Does not start it.
  ///
  /// - Parameter credits: the place of the new installation's monkey credits; nil for that of the earlier one.
  func installApp(credits: CreditsPlace? = nil) throws {
    guard state == .notInstalled else { return }
    guard !isEnding else { throw PhoneRefusal.ending }
    guard credits != .server || network.server != nil else { throw PhoneRefusal.noServer }
    beginCommand()
    try change { settings in
      settings.isInstalled = true
      if let credits { settings.credits = credits }
    }
    become(.stopped(reason: nil))
    steps.add(StepReport(.appInstalled))
  }

  /// Commands the app to write a backup into the documents.
  func backUp() throws {
    guard backupUnderWay == nil else { throw PhoneRefusal.busy }
    let name = folder.backupName(network.name, at: clock.now.date)
    beginCommand()
    try send(.exportBackup(path: folder.documents.appending(path: name).path))
    backupUnderWay = name
    signal.notify()
  }

  /// Commands the app to restore a backup.
  func restoreBackup(_ name: String, key: String) throws {
    let file = try folder.backup(name)
    guard !key.isEmpty else { throw PhoneRefusal.noKey }
    beginCommand()
    try send(.importBackup(path: file.path, key: key))
  }
}
