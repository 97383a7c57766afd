import Foundation
import StoreModel

/// The contents of a signed app transaction ("JWSAppTransactionDecodedPayload"): a customer's purchase or download of the
/// app itself.
///
/// A value of this type may be unverified; only `Verified<SignedAppTransaction>` has a checked signature.
public struct SignedAppTransaction: Hashable, Sendable {
  /// The bundle id of the app.
  public var bundleID: BundleID
  /// The written value of `receiptType`, which is the environment; see ``environment``.
  public var rawEnvironment: String?
  /// The App Store's number of the app. Production only.
  public var appAppleID: Int64?
  /// The version of the app that it was signed for.
  public var applicationVersion: String?
  /// The App Store's number of that version.
  public var versionExternalIdentifier: Int64?
  /// The date of signing. The certificates must be valid at this date.
  public var receiptCreationDate: StoreDate
  /// The date of the first purchase or download.
  public var originalPurchaseDate: StoreDate?
  /// The version that the customer first had; `1.0` in the sandbox.
  public var originalApplicationVersion: String?
  /// The date of the pre-order; nil if there was none.
  public var preorderDate: StoreDate?
  /// The same id for all transactions of one customer and app, on all devices.
  public var appTransactionID: String?
  /// The written value of `originalPlatform`, such as `iOS`; see ``originalPlatform``.
  public var rawOriginalPlatform: String?
  /// A SHA-384 digest that binds it to a device; see ``isIssued(for:)``.
  public var deviceVerification: [UInt8]?
  /// The nonce of ``deviceVerification``.
  public var deviceVerificationNonce: UUID?
  /// The date of the request. Xcode writes it.
  public var requestDate: StoreDate?

  public init(bundleID: BundleID, environment: StoreEnvironment, receiptCreationDate: StoreDate) {
    self.bundleID = bundleID
    rawEnvironment = environment.rawValue
    self.receiptCreationDate = receiptCreationDate
  }

  /// The platform of the first purchase. The raw values are those of app transactions.
  public enum Platform: String, Hashable, Codable, Sendable, CaseIterable {
    case iOS
    case macOS
    case tvOS
    case visionOS
  }

  /// The environment; nil if it is missing or unknown.
  public var environment: StoreEnvironment? { rawEnvironment.flatMap(StoreEnvironment.init(rawValue:)) }
  /// The platform of the first purchase; nil if it is missing or unknown.
  public var originalPlatform: Platform? { rawOriginalPlatform.flatMap(Platform.init(rawValue:)) }

  /// Whether it contains a valid proof for `device`; false if it contains no proof.
  public func isIssued(for device: DeviceIdentifier) -> Bool {
    guard let deviceVerification, let deviceVerificationNonce else { return false }
    return device.verification(nonce: deviceVerificationNonce) == deviceVerification
  }

  /// Decodes the signed JSON. The signature is not checked.
  ///
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  public init(payload: [UInt8]) throws(VerificationFailure) { self = try Self.read(payload: payload) }

  /// The JSON to sign. The same value always has the same bytes.
  public func payloadBytes() -> [UInt8] { writtenPayload() }
}

extension SignedAppTransaction: SignedPayload {
  static let title: StaticString = "the app transaction"
  static var unread: Self {
    var unread = Self(
      bundleID: "", environment: .production, receiptCreationDate: StoreDate(millisecondsSince1970: 0))
    unread.rawEnvironment = nil
    return unread
  }
  static let members: [PayloadMember<Self>] = [
    PayloadMember("appAppleId", \.appAppleID, .integer),
    PayloadMember("appTransactionId", \.appTransactionID, .string),
    PayloadMember("applicationVersion", \.applicationVersion, .string),
    PayloadMember(required: "bundleId", \.bundleID, .identifier),
    PayloadMember("deviceVerification", \.deviceVerification, .base64),
    PayloadMember("deviceVerificationNonce", \.deviceVerificationNonce, .uuid),
    PayloadMember("originalApplicationVersion", \.originalApplicationVersion, .string),
    PayloadMember("originalPlatform", \.rawOriginalPlatform, .string),
    PayloadMember("originalPurchaseDate", \.originalPurchaseDate, .date),
    PayloadMember("preorderDate", \.preorderDate, .date),
    PayloadMember(required: "receiptCreationDate", \.receiptCreationDate, .date),
    PayloadMember("receiptType", \.rawEnvironment, .string),
    PayloadMember("requestDate", \.requestDate, .date),
    PayloadMember("versionExternalIdentifier", \.versionExternalIdentifier, .integer),
  ]
}
