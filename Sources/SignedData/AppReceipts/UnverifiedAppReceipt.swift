import Foundation

/// An app receipt that was read, but not believed: for looking at, never for deciding.
public struct UnverifiedAppReceipt: Hashable, Sendable {
  /// What it says.
  public let receipt: AppReceipt
  /// The bytes that were signed.
  public let payload: [UInt8]
  /// In DER, in the order they are carried; at most 8.
  public let certificates: [[UInt8]]
  /// The signer's certificate, DER.
  public let signerCertificate: [UInt8]
  /// What the signature is made over.
  public let digest: ReceiptDigest
  /// PKCS #1 v1.5; 256 bytes for the RSA-2048 keys in use.
  public let signature: [UInt8]

  /// Reads a receipt (CMS, RFC 5652; Apple's "Receipt Fields").
  ///
  /// - Parameter data: DER or BER, at most 64 MiB; base64 must have been decoded.
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  public init(_ data: Data) throws(VerificationFailure) {
    let container = try Array(data).withBuffer { (bytes) throws(VerificationFailure) in try ReceiptContainer(bytes) }
    receipt = try AppReceipt(payload: container.content)
    payload = container.content
    certificates = container.certificates.map(\.der)
    signerCertificate = container.certificates[container.signer].der
    digest = container.digest
    signature = container.signature
  }
}
