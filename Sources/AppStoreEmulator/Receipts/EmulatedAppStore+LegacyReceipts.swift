import Foundation
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// The delivered transaction in the form of iOS 6. The version it names is the installation's when it is delivered.
  func legacyReceipt(of record: TransactionRecord, in rendering: Rendering) throws -> Data {
    let (installation, identity) = (rendering.installation, rendering.identity)
    let receipt = LegacyReceipt(
      record: record, applicationVersion: installation.applicationVersion,
      vendorIdentifier: UUID(uuidString: installation.deviceID), appItemID: rendering.appAppleID,
      versionExternalIdentifier: identity.versionExternalIdentifier(
        installation.bundleID, version: installation.applicationVersion),
      uniqueIdentifier: identity.uniqueIdentifier(deviceID: installation.deviceID))
    // Verifiers check the certificate at the purchase date, so the leaf of that date signs.
    return try authority.signLegacyReceipt(receipt, at: record.purchaseDate)
  }
}
