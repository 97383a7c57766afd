import Foundation

/// An app receipt that was decoded without verification. Use it for display only, never for decisions.
public struct UnverifiedAppReceipt: Hashable, Sendable {
  /// The contents of the receipt.
  public let receipt: AppReceipt
  /// The signed bytes.
  public let payload: [UInt8]
  /// The certificates in the receipt, in DER and in the same order; at most 8.
  public let certificates: [[UInt8]]
  /// The signer's certificate, in DER.
  public let signerCertificate: [UInt8]
  /// The hash algorithm of the signature.
  public let digest: ReceiptDigest
  /// The PKCS #1 v1.5 signature; 256 bytes for RSA-2048 keys.
  public let signature: [UInt8]

  /// Decodes a receipt (CMS, RFC 5652; Apple's "Receipt Fields").
  ///
  /// - Parameter data: DER or BER, at most 64 MiB, not base64.
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
