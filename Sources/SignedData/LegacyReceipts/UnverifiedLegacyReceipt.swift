import Foundation

/// A legacy receipt that was read, but not believed: for looking at, never for deciding.
public struct UnverifiedLegacyReceipt: Hashable, Sendable {
  /// What it says.
  public let receipt: LegacyReceipt
  /// The format of the signature: 2 or 3.
  public let signatureVersion: Int
  /// PKCS #1 v1.5; 128 bytes in version 2, 256 in version 3.
  public let signature: [UInt8]
  /// The only certificate it carries, DER.
  public let certificate: [UInt8]
  /// The `environment` written outside the signature, `Sandbox` or nothing. Compare ``LegacyReceipt/environment``.
  public let claimedEnvironment: String?

  /// Reads a legacy receipt: an old-style property list with `purchase-info` and `signature`.
  ///
  /// - Parameter data: at most 1 MiB; base64 must have been decoded.
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  public init(_ data: Data) throws(VerificationFailure) {
    let container = try Array(data).withBuffer { (bytes) throws(VerificationFailure) in try LegacyContainer(bytes) }
    receipt = container.receipt
    signatureVersion = Int(container.version)
    signature = container.signature
    certificate = container.leaf.der
    claimedEnvironment = container.claimedEnvironment
  }
}
