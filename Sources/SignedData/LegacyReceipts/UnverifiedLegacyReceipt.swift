import Foundation

/// A legacy receipt that was decoded without verification. Use it for display only, never for decisions.
public struct UnverifiedLegacyReceipt: Hashable, Sendable {
  /// The contents of the receipt.
  public let receipt: LegacyReceipt
  /// The version of the signature: 2 or 3.
  public let signatureVersion: Int
  /// The PKCS #1 v1.5 signature; 128 bytes in version 2, 256 in version 3.
  public let signature: [UInt8]
  /// The only certificate in the receipt, in DER.
  public let certificate: [UInt8]
  /// The `environment` outside of the signature, unchecked: anyone can change it. Apple writes `Sandbox` or omits it.
  /// Compare ``LegacyReceipt/environment``.
  public let claimedEnvironment: String?

  /// Decodes a legacy receipt: an old-style property list with `purchase-info` and `signature`.
  ///
  /// - Parameter data: at most 1 MiB, not base64.
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
