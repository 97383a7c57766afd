import Foundation
import SignedData
import StoreModel

/// The payload of a JWS, read but not believed.
struct PayloadContents {
  let jws: UnverifiedJWS
  /// Nil if the payload is not JSON.
  let json: JSONValue?
  let kind: ReceiptKind

  init(_ jws: UnverifiedJWS) {
    self.jws = jws
    json = JSONValue(parsing: jws.contents.payload)
    kind = json.map(Self.kind) ?? .jws
  }

  private static func kind(_ json: JSONValue) -> ReceiptKind {
    if json["notificationType"] != nil { return .notification }
    if json["autoRenewStatus"] != nil || json["autoRenewProductId"] != nil { return .renewalInfo }
    if json["receiptType"] != nil || json["originalApplicationVersion"] != nil { return .appTransaction }
    return json["transactionId"] != nil ? .transaction : .jws
  }

  /// The object that names app and environment: a notification's own part, or the payload itself.
  private var scope: JSONValue? {
    guard kind == .notification else { return json }
    return ["data", "summary", "appData", "externalPurchaseToken", "unclaimInfo"].lazy.compactMap { json?[$0] }.first
  }

  /// The app it is for, where it names one.
  var bundleID: BundleID? { scope?["bundleId"]?.text.map(BundleID.init(rawValue:)) }

  /// The environment as it is written.
  var rawEnvironment: String? { scope?[kind == .appTransaction ? "receiptType" : "environment"]?.text }

  /// The app's version, where it names one.
  var applicationVersion: String? { scope?[kind == .appTransaction ? "applicationVersion" : "bundleVersion"]?.text }

  /// Whether it carries the proof that it was made for `device` ("AppTransaction", `deviceVerification`).
  func isIssued(for device: DeviceIdentifier) -> Bool {
    guard let proof = json?["deviceVerification"]?.text.flatMap({ Data(base64Encoded: $0) }),
      let nonce = json?["deviceVerificationNonce"]?.text.flatMap(UUID.init(uuidString:))
    else { return false }
    return device.verification(nonce: nonce) == Array(proof)
  }

  /// When it says it was signed.
  var signedDate: StoreDate? {
    guard case .number(let digits)? = json?["signedDate"] ?? json?["receiptCreationDate"] else { return nil }
    // Xcode writes fractions of a millisecond.
    return Int64(digits.prefix { $0 != "." }).map(StoreDate.init(millisecondsSince1970:))
  }
}
