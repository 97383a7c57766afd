import Foundation
import SignedData

/// The document that `--json` prints. The names are stable. A member without a value is omitted.
///
/// | name | meaning |
/// |---|---|
/// | `kind` | `appReceipt`, `legacyReceipt`, `transaction`, `renewalInfo`, `appTransaction`, `notification`, `jws` |
/// | `verified` | true if the input was verified; otherwise nothing in the document can be trusted |
/// | `fault` | the check that failed: `structure`, `chain`, `marker`, `date`, `signature`, `bundle`, `environment`, `device` |
/// | `detail` | the reason in words, or a remark that nothing was checked |
/// | `anchor`, `anchorName` | SHA-256 and name of the trusted certificate to which the chain leads |
/// | `checkedDate` | the date at which the certificates had to be valid |
/// | `device` | `id` and `matches`, if `--device` was given |
/// | `warnings` | sentences; may be empty |
/// | `receipt` | the contents of an app receipt or legacy receipt |
/// | `transaction` | the payload of a signed transaction, unchanged |
/// | `payload`, `payloadBase64` | the payload of any other JWS; base64 if it is not JSON |
/// | `signatureAlgorithm` | the algorithm of the signature |
/// | `certificates` | `subject`, `issuer`, `notBefore`, `notAfter`, `sha256`, `isSigner` |
///
/// Dates are RFC 3339 in UTC, except inside payloads.
extension ReceiptReport {
  var json: JSONValue {
    var members: [String: JSONValue] = [
      "kind": .string(kind.rawValue), "verified": .bool(false), "warnings": .array(warnings.map(JSONValue.string)),
    ]
    switch verdict {
    case .unchecked: members["detail"] = .string("not verified: nothing was checked")
    case .refused(let failure):
      members["fault"] = .string(failure.fault.rawValue)
      members["detail"] = .string(failure.detail)
    case .verified(let anchor, let date):
      members["verified"] = .bool(true)
      members["anchor"] = .string(anchor.description)
      members["anchorName"] = trust.map { .string($0.name(of: anchor)) }
      members["checkedDate"] = .string(date.rfc3339)
    }
    if let device {
      members["device"] = .members(["id": .string(device.description), "matches": isIssuedToDevice.map(JSONValue.bool)])
    }
    if let contents { add(contents, to: &members) }
    return .object(members)
  }

  private func add(_ contents: ReceiptContents, to members: inout [String: JSONValue]) {
    members["signatureAlgorithm"] = .string(contents.signatureAlgorithm)
    let signer = signer
    members["certificates"] = .array(
      certificates.map { certificate in
        .object([
          "subject": .string(certificate.subject), "issuer": .string(certificate.issuer),
          "notBefore": .string(certificate.notBefore), "notAfter": .string(certificate.notAfter),
          "sha256": .string(certificate.fingerprint.description),
          "isSigner": .bool(certificate.fingerprint == signer),
        ])
      })
    switch contents {
    case .appReceipt(let receipt): members["receipt"] = receipt.receipt.json
    case .legacyReceipt(let receipt): members["receipt"] = receipt.json
    case .payload(let payload):
      if let json = payload.json {
        members[kind == .transaction ? "transaction" : "payload"] = json
      } else {
        members["payloadBase64"] = .string(Data(payload.jws.contents.payload).base64EncodedString())
      }
    }
  }
}
