import Foundation
import PurchaseKit
import SampleModel
import StoreModel

/// The files of the sample app's vault and its key.
package struct SampleVault {
  package static let fileName = "vault.sqlite"

  /// The folder of the vault, which is deleted with the app.
  let folder: URL
  /// The folder of the key. It stays on the device when the app is deleted, like a Keychain. On Linux the user can read
  /// it; see Documentation/vault.md.
  let keychain: URL
  let deviceID: UUID

  func open(clock: any MachineClock = SystemClock(), report: (VaultFinding) -> Void = { _ in }) throws -> PurchaseVault
  {
    try PurchaseVault(
      at: folder.appending(path: Self.fileName), keys: FileVaultKeyStore(directory: keychain),
      owner: VaultOwner(
        bundleID: BundleID(SampleCatalog.bundleIdentifier), deviceIdentifier: .vendorIdentifier(deviceID)),
      clock: clock, report: report)
  }
}
