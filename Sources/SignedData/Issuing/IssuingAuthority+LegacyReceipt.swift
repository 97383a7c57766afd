import Foundation
import StoreModel

extension IssuingAuthority {
  /// Signs a legacy transaction receipt of version 3: RSA-2048 and SHA-1, with the leaf that signs app receipts.
  ///
  /// A verifier needs ``receiptIntermediateCertificate``, which is not in the receipt; ``anchors`` contains it.
  ///
  /// - Parameters:
  ///   - receipt: the contents of the receipt. Its environment follows from its entries.
  ///   - date: decides which leaf signs. It should be the receipt's purchase date, at which verifiers check the
  ///     certificate.
  ///   - chain: the certificates. The intermediate is always the same.
  /// - Throws: ``IssuingError``, in particular for a date outside 2014 to 2063.
  public func signLegacyReceipt(
    _ receipt: LegacyReceipt, at date: StoreDate, chain: SigningChain = .valid
  ) throws(IssuingError) -> Data {
    let version: UInt8 = 3
    let leaf = try receiptSigner(at: date, chain == .rotatedIntermediate ? .valid : chain).leaf
    let purchaseInfo = OldStylePropertyList.text(receipt.fields)
    var blob: [UInt8] = [version]
    do {
      guard case .rsa(let key) = leaf.key else { throw IssuingError.signing(reason: "the leaf's key is not RSA") }
      blob.append(contentsOf: try key.signature(of: chain.signed([version] + purchaseInfo), .sha1))
    } catch {
      throw .signing(reason: "\(error)")
    }
    withUnsafeBytes(of: UInt32(leaf.der.count).bigEndian) { blob.append(contentsOf: $0) }
    blob.append(contentsOf: leaf.der)
    var fields = [
      LegacyReceipt.Field(key: "signature", value: Base64.text(blob, .standard)),
      LegacyReceipt.Field(key: "purchase-info", value: Base64.text(purchaseInfo, .standard)),
    ]
    if receipt.environment == .sandbox {
      fields.append(LegacyReceipt.Field(key: "environment", value: "Sandbox"))
    }
    fields.append(LegacyReceipt.Field(key: "pod", value: receipt.environment == .sandbox ? "100" : "1"))
    fields.append(LegacyReceipt.Field(key: "signing-status", value: "0"))
    return Data(OldStylePropertyList.text(fields))
  }
}
