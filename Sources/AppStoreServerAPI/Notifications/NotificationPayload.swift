import Foundation
import StoreModel

/// The body with which the store posts a notification ("responseBodyV2").
public struct SignedNotification: Codable, Hashable, Sendable {
  /// A ``NotificationPayload`` as JWS.
  public var signedPayload: String

  public init(signedPayload: String) { self.signedPayload = signedPayload }
}

/// The contents of a notification ("responseBodyV2DecodedPayload").
///
/// A value of this type may be unverified; only `Verified<NotificationPayload>` has a checked signature. The signed data
/// within ``content`` is verified separately.
public struct NotificationPayload: Hashable, Sendable {
  public var notificationType: OpenEnum<NotificationType>
  public var subtype: OpenEnum<NotificationSubtype>?
  /// The same for all deliveries of a notification. Use it to recognize repetitions.
  public var notificationUUID: String
  /// The version of the format, `2.0`.
  public var version: String?
  /// The date of signing. The certificates must be valid at this date.
  public var signedDate: StoreDate
  public var content: Content

  public init(
    notificationType: OpenEnum<NotificationType>, subtype: OpenEnum<NotificationSubtype>? = nil,
    notificationUUID: String, version: String? = "2.0", signedDate: StoreDate, content: Content
  ) {
    self.notificationType = notificationType
    self.subtype = subtype
    self.notificationUUID = notificationUUID
    self.version = version
    self.signedDate = signedDate
    self.content = content
  }

  /// What the notification is about. A payload has exactly one of these members.
  public enum Content: Hashable, Sendable {
    case data(NotificationData)
    case summary(ExtensionSummary)
    case externalPurchaseToken(ExternalPurchaseToken)
    case appData(NotificationAppData)
    case unclaimInfo(UnclaimInfo)
    /// A member that this version does not know.
    case unknown
  }
}

/// The app, and the purchase if there is one ("data").
public struct NotificationData: Codable, Hashable, Sendable {
  public var environment: OpenEnum<StoreEnvironment>
  /// Production only.
  public var appAppleId: Int64?
  public var bundleId: BundleID?
  public var bundleVersion: String?
  /// A `SignedTransaction` as JWS.
  public var signedTransactionInfo: String?
  /// A `SignedRenewalInfo` as JWS. Auto-renewable subscriptions only.
  public var signedRenewalInfo: String?
  /// The status at the date of signing. Auto-renewable subscriptions only.
  public var status: OpenEnum<SubscriptionStatus>?
  /// Why the customer asks for a refund. `CONSUMPTION_REQUEST` only.
  public var consumptionRequestReason: OpenEnum<ConsumptionRequestReason>?

  public init(
    environment: OpenEnum<StoreEnvironment>, appAppleId: Int64? = nil, bundleId: BundleID?,
    bundleVersion: String? = nil, signedTransactionInfo: String? = nil, signedRenewalInfo: String? = nil,
    status: OpenEnum<SubscriptionStatus>? = nil, consumptionRequestReason: OpenEnum<ConsumptionRequestReason>? = nil
  ) {
    self.environment = environment
    self.appAppleId = appAppleId
    self.bundleId = bundleId
    self.bundleVersion = bundleVersion
    self.signedTransactionInfo = signedTransactionInfo
    self.signedRenewalInfo = signedRenewalInfo
    self.status = status
    self.consumptionRequestReason = consumptionRequestReason
  }
}

/// Why a customer asks for a refund.
public enum ConsumptionRequestReason: String, Hashable, Codable, Sendable, CaseIterable {
  case unintendedPurchase = "UNINTENDED_PURCHASE"
  case fulfillmentIssue = "FULFILLMENT_ISSUE"
  case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
  case legal = "LEGAL"
  case other = "OTHER"
}

/// The result of an extension for all subscribers ("summary").
public struct ExtensionSummary: Codable, Hashable, Sendable {
  public var requestIdentifier: String
  public var environment: OpenEnum<StoreEnvironment>
  /// Production only.
  public var appAppleId: Int64?
  public var bundleId: BundleID
  public var productId: ProductID
  /// The storefronts of the request; nil or empty for all.
  public var storefrontCountryCodes: [String]?
  public var succeededCount: Int64
  public var failedCount: Int64

  public init(
    requestIdentifier: String, environment: OpenEnum<StoreEnvironment>, appAppleId: Int64? = nil, bundleId: BundleID,
    productId: ProductID, storefrontCountryCodes: [String]? = nil, succeededCount: Int64, failedCount: Int64
  ) {
    self.requestIdentifier = requestIdentifier
    self.environment = environment
    self.appAppleId = appAppleId
    self.bundleId = bundleId
    self.productId = productId
    self.storefrontCountryCodes = storefrontCountryCodes
    self.succeededCount = succeededCount
    self.failedCount = failedCount
  }
}

/// A token for purchases outside of the App Store ("externalPurchaseToken").
public struct ExternalPurchaseToken: Codable, Hashable, Sendable {
  /// It begins with `SANDBOX` in the sandbox.
  public var externalPurchaseId: String
  public var tokenCreationDate: StoreDate?
  public var appAppleId: Int64?
  public var bundleId: BundleID?
  public var tokenType: String?
  public var tokenExpirationDate: StoreDate?

  public init(externalPurchaseId: String, tokenCreationDate: StoreDate? = nil, bundleId: BundleID? = nil) {
    self.externalPurchaseId = externalPurchaseId
    self.tokenCreationDate = tokenCreationDate
    self.bundleId = bundleId
  }

  /// The environment, which only the id tells.
  public var environment: StoreEnvironment { externalPurchaseId.hasPrefix("SANDBOX") ? .sandbox : .production }
}

/// The app, and the customer's app transaction ("appData").
public struct NotificationAppData: Codable, Hashable, Sendable {
  public var appAppleId: Int64?
  public var bundleId: BundleID
  public var environment: OpenEnum<StoreEnvironment>
  /// A `SignedAppTransaction` as JWS.
  public var signedAppTransactionInfo: String?

  public init(
    appAppleId: Int64? = nil, bundleId: BundleID, environment: OpenEnum<StoreEnvironment>,
    signedAppTransactionInfo: String? = nil
  ) {
    self.appAppleId = appAppleId
    self.bundleId = bundleId
    self.environment = environment
    self.signedAppTransactionInfo = signedAppTransactionInfo
  }
}

/// The seats that the App Store released ("unclaimInfo"). It names no app and no environment.
public struct UnclaimInfo: Codable, Hashable, Sendable {
  public var unclaimSeatIds: [String]

  public init(unclaimSeatIds: [String]) { self.unclaimSeatIds = unclaimSeatIds }
}

extension NotificationPayload.Content {
  public var environment: OpenEnum<StoreEnvironment>? {
    switch self {
    case .data(let data): data.environment
    case .summary(let summary): summary.environment
    case .externalPurchaseToken(let token): OpenEnum(token.environment)
    case .appData(let data): data.environment
    case .unclaimInfo, .unknown: nil
    }
  }

  public var bundleId: BundleID? {
    switch self {
    case .data(let data): data.bundleId
    case .summary(let summary): summary.bundleId
    case .externalPurchaseToken(let token): token.bundleId
    case .appData(let data): data.bundleId
    case .unclaimInfo, .unknown: nil
    }
  }

  public var appAppleId: Int64? {
    switch self {
    case .data(let data): data.appAppleId
    case .summary(let summary): summary.appAppleId
    case .externalPurchaseToken(let token): token.appAppleId
    case .appData(let data): data.appAppleId
    case .unclaimInfo, .unknown: nil
    }
  }
}

extension NotificationPayload: Codable {
  private enum CodingKeys: String, CodingKey {
    case notificationType, subtype, notificationUUID, version, signedDate
    case data, summary, externalPurchaseToken, appData, unclaimInfo
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    notificationType = try members.decode(OpenEnum<NotificationType>.self, forKey: .notificationType)
    let subtype = try members.decodeIfPresent(OpenEnum<NotificationSubtype>.self, forKey: .subtype)
    self.subtype = subtype
    notificationUUID = try members.decode(String.self, forKey: .notificationUUID)
    version = try members.decodeIfPresent(String.self, forKey: .version)
    signedDate = try members.decode(StoreDate.self, forKey: .signedDate)
    content =
      if let data = try members.decodeIfPresent(NotificationData.self, forKey: .data) {
        .data(data)
      } else if let summary = try members.decodeIfPresent(ExtensionSummary.self, forKey: .summary) {
        .summary(summary)
      } else if let token = try members.decodeIfPresent(ExternalPurchaseToken.self, forKey: .externalPurchaseToken) {
        .externalPurchaseToken(token)
      } else if let data = try members.decodeIfPresent(NotificationAppData.self, forKey: .appData) {
        .appData(data)
      } else if let info = try members.decodeIfPresent(UnclaimInfo.self, forKey: .unclaimInfo) {
        .unclaimInfo(info)
      } else {
        .unknown
      }
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(notificationType, forKey: .notificationType)
    try members.encodeIfPresent(subtype, forKey: .subtype)
    try members.encode(notificationUUID, forKey: .notificationUUID)
    try members.encodeIfPresent(version, forKey: .version)
    try members.encode(signedDate, forKey: .signedDate)
    switch content {
    case .data(let data): try members.encode(data, forKey: .data)
    case .summary(let summary): try members.encode(summary, forKey: .summary)
    case .externalPurchaseToken(let token): try members.encode(token, forKey: .externalPurchaseToken)
    case .appData(let data): try members.encode(data, forKey: .appData)
    case .unclaimInfo(let info): try members.encode(info, forKey: .unclaimInfo)
    case .unknown: break
    }
  }

  /// The JSON to sign. The same value always has the same bytes.
  public func payloadBytes() throws -> [UInt8] { [UInt8](try ServerAPI.encoder().encode(self)) }
}
