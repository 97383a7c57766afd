import Foundation
import PurchaseKit
import SampleModel
import SignedData
import StoreModel

/// The sample app's vault, in the installation's folder.
enum SampleVault {
  static let fileName = "vault.sqlite"
  /// Linux has no place for keys that its user cannot read; see Documentation/vault.md.
  static let keyFolderName = "vault-keys"

  static func open(
    in folder: URL, deviceID: UUID, report: (VaultFinding) -> Void = { _ in }
  ) throws -> PurchaseVault {
    try PurchaseVault(
      at: folder.appending(path: fileName),
      keys: FileVaultKeyStore(directory: folder.appending(path: keyFolderName)),
      owner: VaultOwner(
        bundleID: BundleID(SampleCatalog.bundleIdentifier), deviceIdentifier: .vendorIdentifier(deviceID)),
      report: report)
  }
}
