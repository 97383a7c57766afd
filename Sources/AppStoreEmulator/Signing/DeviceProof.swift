import Foundation
import SignedData
import StoreModel

/// The proof that signed data was made for a device ("AppTransaction", `deviceVerification`).
///
/// What devices receive has one. Data for servers has none, because the App Store does not send it.
struct DeviceProof: Sendable {
  let digest: [UInt8]
  let nonce: UUID

  /// - Parameters:
  ///   - content: identifies what is signed. With the date it gives the nonce, so that the same seed gives the same bytes.
  ///   - isForAnotherDevice: whether a fault makes the proof wrong.
  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)`` if the installation has no valid device id.
  init(
    of content: String, signedAt date: StoreDate, for installation: Installation, _ identity: InventedIdentity,
    isForAnotherDevice: Bool
  ) throws {
    guard let deviceID = UUID(uuidString: installation.deviceID) else {
      throw AppStoreEmulatorError.unknownInstallation(installation.installationID)
    }
    let device = isForAnotherDevice ? identity.uuid("anotherDevice", installation.deviceID) : deviceID
    nonce = identity.uuid("deviceVerificationNonce", content, "\(date.millisecondsSince1970)")
    digest = DeviceIdentifier.vendorIdentifier(device).verification(nonce: nonce)
  }
}

extension SignedTransaction {
  mutating func bind(to proof: DeviceProof) {
    (deviceVerification, deviceVerificationNonce) = (proof.digest, proof.nonce)
  }
}

extension SignedRenewalInfo {
  mutating func bind(to proof: DeviceProof) {
    (deviceVerification, deviceVerificationNonce) = (proof.digest, proof.nonce)
  }
}

extension SignedAppTransaction {
  mutating func bind(to proof: DeviceProof) {
    (deviceVerification, deviceVerificationNonce) = (proof.digest, proof.nonce)
  }
}
