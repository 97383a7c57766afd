import Foundation
import PurchaseKit
import SampleModel
import StoreModel

/// Where the sample app keeps its vault, and its key.
package struct SampleVault {
  package static let fileName = "vault.sqlite"

  /// Goes with the app.
  let folder: URL
  /// Stays on the device when the app is removed, as a Keychain does. Linux has no place that its user cannot read; see
  /// Documentation/vault.md.
  let keychain: URL
  let deviceID: UUID

  func open(report: (VaultFinding) -> Void = { _ in }) throws -> PurchaseVault {
    try PurchaseVault(
      at: folder.appending(path: Self.fileName), keys: FileVaultKeyStore(directory: keychain),
      owner: VaultOwner(
        bundleID: BundleID(SampleCatalog.bundleIdentifier), deviceIdentifier: .vendorIdentifier(deviceID)),
      report: report)
  }
}
