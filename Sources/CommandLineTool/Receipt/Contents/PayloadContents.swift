import Foundation
import SignedData
import StoreModel

/// The payload of a JWS, decoded but not verified.
struct PayloadContents {
  let jws: UnverifiedJWS
  /// The payload as JSON; nil if it is not JSON.
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

  /// The object with the app and the environment: an inner object of a notification, otherwise the payload itself.
  private var scope: JSONValue? {
    guard kind == .notification else { return json }
    return ["data", "summary", "appData", "externalPurchaseToken", "unclaimInfo"].lazy.compactMap { json?[$0] }.first
  }

  /// The bundle id of the app; nil if the payload has none.
  var bundleID: BundleID? { scope?["bundleId"]?.text.map(BundleID.init(rawValue:)) }

  /// The name of the environment, as written in the payload.
  var rawEnvironment: String? { scope?[kind == .appTransaction ? "receiptType" : "environment"]?.text }

  /// The app's version; nil if the payload has none.
  var applicationVersion: String? { scope?[kind == .appTransaction ? "applicationVersion" : "bundleVersion"]?.text }

  /// Whether the payload proves that it was made for `device` (`deviceVerification`, see Apple's "AppTransaction").
  func isIssued(for device: DeviceIdentifier) -> Bool {
    guard let proof = json?["deviceVerification"]?.text.flatMap({ Data(base64Encoded: $0) }),
      let nonce = json?["deviceVerificationNonce"]?.text.flatMap(UUID.init(uuidString:))
    else { return false }
    return device.verification(nonce: nonce) == Array(proof)
  }

  /// The date of signing in the payload. It is not verified.
  var signedDate: StoreDate? {
    guard case .number(let digits)? = json?["signedDate"] ?? json?["receiptCreationDate"] else { return nil }
    // Xcode writes fractions of a millisecond.
    return Int64(digits.prefix { $0 != "." }).map(StoreDate.init(millisecondsSince1970:))
  }
}
