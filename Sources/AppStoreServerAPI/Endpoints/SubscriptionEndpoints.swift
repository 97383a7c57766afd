import Foundation
import StoreModel

/// Get All Subscription Statuses: the customer's subscriptions, by group.
public struct GetAllSubscriptionStatuses: ServerAPICall {
  public typealias Answer = StatusResponse
  public static let endpoint = ServerAPIEndpoint(
    "getAllSubscriptionStatuses", .get, "inApps/v1/subscriptions/{anyTransactionId}", requestsPerSecond: 50)

  public let anyTransactionId: TransactionID
  /// Only subscriptions with one of these statuses; empty for all.
  public let statuses: [SubscriptionStatus]

  public init(anyTransactionId: TransactionID, statuses: [SubscriptionStatus] = []) {
    self.anyTransactionId = anyTransactionId
    self.statuses = statuses
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    anyTransactionId = try request.transactionID("anyTransactionId")
    statuses = try request.values("status", or: .invalidStatus, "a number from 1 to 5") {
      Int($0).flatMap(SubscriptionStatus.init(rawValue:))
    }
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(
      parameters: ["anyTransactionId": anyTransactionId.rawValue],
      query: statuses.map { .init("status", "\($0.rawValue)") })
  }
}

public struct StatusResponse: Codable, Hashable, Sendable {
  public var environment: OpenEnum<StoreEnvironment>
  public var bundleId: BundleID
  /// Production only.
  public var appAppleId: Int64?
  public var data: [SubscriptionGroupStatus]

  public init(
    environment: OpenEnum<StoreEnvironment>, bundleId: BundleID, appAppleId: Int64? = nil,
    data: [SubscriptionGroupStatus]
  ) {
    self.environment = environment
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.data = data
  }
}

/// The subscriptions of one group ("SubscriptionGroupIdentifierItem").
public struct SubscriptionGroupStatus: Codable, Hashable, Sendable {
  public var subscriptionGroupIdentifier: SubscriptionGroupID
  /// One for each subscription of the group. Only Family Sharing causes more than one.
  public var lastTransactions: [LastTransaction]

  public init(subscriptionGroupIdentifier: SubscriptionGroupID, lastTransactions: [LastTransaction]) {
    self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
    self.lastTransactions = lastTransactions
  }
}

/// The last period of a subscription ("lastTransactionsItem").
public struct LastTransaction: Codable, Hashable, Sendable {
  public var status: OpenEnum<SubscriptionStatus>
  public var originalTransactionId: TransactionID
  /// A `SignedTransaction` as JWS.
  public var signedTransactionInfo: String
  /// A `SignedRenewalInfo` as JWS.
  public var signedRenewalInfo: String

  public init(
    status: OpenEnum<SubscriptionStatus>, originalTransactionId: TransactionID, signedTransactionInfo: String,
    signedRenewalInfo: String
  ) {
    self.status = status
    self.originalTransactionId = originalTransactionId
    self.signedTransactionInfo = signedTransactionInfo
    self.signedRenewalInfo = signedRenewalInfo
  }
}

/// Extend a Subscription Renewal Date: the current period of one subscription ends later, without a charge.
///
/// Apple does not document that a repeated call with the same `requestIdentifier` extends only once, and permits two
/// extensions in 365 days. So the call is not idempotent.
public struct ExtendSubscriptionRenewalDate: ServerAPICall {
  public typealias Answer = ExtendRenewalDateResponse
  public static let endpoint = ServerAPIEndpoint(
    "extendSubscriptionRenewalDate", .put, "inApps/v1/subscriptions/extend/{originalTransactionId}",
    isIdempotent: false, requestsPerSecond: 20)

  public let originalTransactionId: TransactionID
  public let content: ExtendRenewalDateRequest

  public init(originalTransactionId: TransactionID, _ content: ExtendRenewalDateRequest) {
    self.originalTransactionId = originalTransactionId
    self.content = content
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    originalTransactionId = try request.transactionID("originalTransactionId", or: .invalidOriginalTransactionId)
    content = try request.content()
  }

  public func request() throws -> ServerAPIRequest {
    try ServerAPIRequest(parameters: ["originalTransactionId": originalTransactionId.rawValue], json: content)
  }
}

public struct ExtendRenewalDateRequest: ServerAPIBody {
  /// 1 to 90.
  public var extendByDays: Int
  public var extendReasonCode: OpenEnum<ExtendReasonCode>
  /// An identifier that the developer chooses, 1 to 128 characters.
  public var requestIdentifier: String

  public init(extendByDays: Int, extendReasonCode: OpenEnum<ExtendReasonCode>, requestIdentifier: String) {
    self.extendByDays = extendByDays
    self.extendReasonCode = extendReasonCode
    self.requestIdentifier = requestIdentifier
  }

  public static var memberErrors: [String: ServerAPIErrorCode] {
    [
      "extendByDays": .invalidExtendByDays, "extendReasonCode": .invalidExtendReasonCode,
      "requestIdentifier": .invalidRequestIdentifier,
    ]
  }

  public func check() throws(ServerAPIRefusal) {
    try ExtendReasonCode.check(days: extendByDays)
    try extendReasonCode.check("extendReasonCode", or: .invalidExtendReasonCode)
    guard (1...128).contains(requestIdentifier.unicodeScalars.count), requestIdentifier.isStreamSafe else {
      throw ServerAPIRefusal(
        .invalidRequestIdentifier,
        "the body's requestIdentifier is not a text of 1 to 128 characters")
    }
  }
}

/// Why a developer extends subscriptions.
public enum ExtendReasonCode: Int, Hashable, Codable, Sendable, CaseIterable {
  case undeclared = 0
  case customerSatisfaction = 1
  case other = 2
  case serviceIssueOrOutage = 3

  /// The days of one extension.
  public static let days = 1...90

  fileprivate static func check(days: Int) throws(ServerAPIRefusal) {
    guard Self.days.contains(days) else {
      throw ServerAPIRefusal(.invalidExtendByDays, "the body's extendByDays is \(days), not 1 to 90")
    }
  }
}

public struct ExtendRenewalDateResponse: Codable, Hashable, Sendable {
  public var originalTransactionId: TransactionID
  public var webOrderLineItemId: String?
  public var success: Bool
  /// The new renewal date.
  public var effectiveDate: StoreDate?

  public init(
    originalTransactionId: TransactionID, webOrderLineItemId: String? = nil, success: Bool,
    effectiveDate: StoreDate? = nil
  ) {
    self.originalTransactionId = originalTransactionId
    self.webOrderLineItemId = webOrderLineItemId
    self.success = success
    self.effectiveDate = effectiveDate
  }
}

/// Extend Subscription Renewal Dates for All Active Subscribers of a product. The work takes hours or days. A repeated
/// call with the same `requestIdentifier` does nothing.
public struct ExtendRenewalDatesForAllActiveSubscribers: ServerAPICall {
  public typealias Answer = MassExtendRenewalDateResponse
  public static let endpoint = ServerAPIEndpoint(
    "extendRenewalDatesForAllActiveSubscribers", .post, "inApps/v1/subscriptions/extend/mass", requestsPerSecond: 1)

  public let content: MassExtendRenewalDateRequest

  public init(_ content: MassExtendRenewalDateRequest) { self.content = content }
  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) { content = try request.content() }
  public func request() throws -> ServerAPIRequest { try ServerAPIRequest(json: content) }
}

public struct MassExtendRenewalDateRequest: ServerAPIBody {
  /// A UUID that the developer chooses.
  public var requestIdentifier: String
  /// 1 to 90.
  public var extendByDays: Int
  public var extendReasonCode: OpenEnum<ExtendReasonCode>
  public var productId: ProductID
  /// ISO 3166-1 alpha-3 codes; nil for all storefronts. Not empty.
  public var storefrontCountryCodes: [String]?

  public init(
    requestIdentifier: UUID, extendByDays: Int, extendReasonCode: OpenEnum<ExtendReasonCode>, productId: ProductID,
    storefrontCountryCodes: [String]? = nil
  ) {
    self.requestIdentifier = requestIdentifier.uuidString.lowercased()
    self.extendByDays = extendByDays
    self.extendReasonCode = extendReasonCode
    self.productId = productId
    self.storefrontCountryCodes = storefrontCountryCodes
  }

  public static var memberErrors: [String: ServerAPIErrorCode] {
    [
      "requestIdentifier": .invalidRequestIdentifier, "extendByDays": .invalidExtendByDays,
      "extendReasonCode": .invalidExtendReasonCode, "productId": .invalidProductId,
      "storefrontCountryCodes": .invalidStorefrontCountryCode,
    ]
  }

  public func check() throws(ServerAPIRefusal) {
    guard UUID(uuidString: requestIdentifier) != nil else {
      throw ServerAPIRefusal(.invalidRequestIdentifier, "the body's requestIdentifier is not a UUID")
    }
    try ExtendReasonCode.check(days: extendByDays)
    try extendReasonCode.check("extendReasonCode", or: .invalidExtendReasonCode)
    guard !productId.rawValue.isEmpty else {
      throw ServerAPIRefusal(.invalidProductId, "the body's productId is empty")
    }
    guard let storefrontCountryCodes else { return }
    guard !storefrontCountryCodes.isEmpty else {
      throw ServerAPIRefusal(
        .invalidEmptyStorefrontCountryCodeList,
        "the body's storefrontCountryCodes is empty; omit it for all storefronts")
    }
    for code in storefrontCountryCodes where code.utf8.count != 3 || Territory(countryCode: code) == nil {
      throw ServerAPIRefusal(
        .invalidStorefrontCountryCode,
        "the body's storefrontCountryCodes has \(ServerAPIRequest.shown(code)), which is no storefront (ISO 3166-1 alpha-3)"
      )
    }
  }
}

public struct MassExtendRenewalDateResponse: Codable, Hashable, Sendable {
  public var requestIdentifier: String

  public init(requestIdentifier: String) { self.requestIdentifier = requestIdentifier }
}

/// Get Status of Subscription Renewal Date Extensions: how far an extension for all subscribers has come.
public struct GetStatusOfRenewalDateExtensions: ServerAPICall {
  public typealias Answer = MassExtendRenewalDateStatusResponse
  public static let endpoint = ServerAPIEndpoint(
    "getStatusOfRenewalDateExtensions", .get, "inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier}",
    requestsPerSecond: nil)

  public let productId: ProductID
  public let requestIdentifier: String

  public init(productId: ProductID, requestIdentifier: String) {
    self.productId = productId
    self.requestIdentifier = requestIdentifier
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    productId = ProductID(try request.text("productId", or: .invalidProductId))
    requestIdentifier = try request.text("requestIdentifier", or: .invalidRequestIdentifier)
    guard UUID(uuidString: requestIdentifier) != nil else {
      throw ServerAPIRefusal(.invalidRequestIdentifier, "the path's requestIdentifier is not a UUID")
    }
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["productId": productId.rawValue, "requestIdentifier": requestIdentifier])
  }
}

public struct MassExtendRenewalDateStatusResponse: Codable, Hashable, Sendable {
  public var requestIdentifier: String
  public var complete: Bool
  /// Nil until the extension is complete, as the counts.
  public var completeDate: StoreDate?
  public var succeededCount: Int64?
  public var failedCount: Int64?

  public init(
    requestIdentifier: String, complete: Bool, completeDate: StoreDate? = nil, succeededCount: Int64? = nil,
    failedCount: Int64? = nil
  ) {
    self.requestIdentifier = requestIdentifier
    self.complete = complete
    self.completeDate = completeDate
    self.succeededCount = succeededCount
    self.failedCount = failedCount
  }
}
