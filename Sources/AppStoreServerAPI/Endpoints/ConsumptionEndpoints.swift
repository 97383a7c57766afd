import Foundation
import StoreModel

/// Send Consumption Information: the developer's answer to the notification `CONSUMPTION_REQUEST`, within 12 hours. The
/// answer has no body.
public struct SendConsumptionInformation: ServerAPICall {
  public typealias Answer = EmptyAnswer
  public static let endpoint = ServerAPIEndpoint(
    "sendConsumptionInformation", .put, "inApps/v2/transactions/consumption/{transactionId}", successStatus: 202,
    requestsPerSecond: 50)

  public let transactionId: TransactionID
  public let content: ConsumptionRequest

  public init(transactionId: TransactionID, _ content: ConsumptionRequest) {
    self.transactionId = transactionId
    self.content = content
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    transactionId = try request.transactionID("transactionId")
    content = try request.content()
  }

  public func request() throws -> ServerAPIRequest {
    try ServerAPIRequest(parameters: ["transactionId": transactionId.rawValue], json: content)
  }
}

/// What a developer tells about a purchase whose refund was requested.
public struct ConsumptionRequest: ServerAPIBody {
  /// Whether the customer agreed that this is sent. It must be true.
  public var customerConsented: Bool
  /// Whether the customer could try the content before the purchase.
  public var sampleContentProvided: Bool
  public var deliveryStatus: OpenEnum<DeliveryStatus>
  /// The part that the customer used, in thousandths of a percent: 0 to 100,000. It must be 0 unless the content was
  /// delivered, and nil for auto-renewable subscriptions.
  public var consumptionPercentage: Int?
  public var refundPreference: OpenEnum<RefundPreference>?

  public init(
    customerConsented: Bool, sampleContentProvided: Bool, deliveryStatus: OpenEnum<DeliveryStatus>,
    consumptionPercentage: Int? = nil, refundPreference: OpenEnum<RefundPreference>? = nil
  ) {
    self.customerConsented = customerConsented
    self.sampleContentProvided = sampleContentProvided
    self.deliveryStatus = deliveryStatus
    self.consumptionPercentage = consumptionPercentage
    self.refundPreference = refundPreference
  }

  public enum DeliveryStatus: String, Hashable, Codable, Sendable, CaseIterable {
    case delivered = "DELIVERED"
    case qualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    case wrongItem = "UNDELIVERED_WRONG_ITEM"
    case serverOutage = "UNDELIVERED_SERVER_OUTAGE"
    case other = "UNDELIVERED_OTHER"
  }

  /// The refund that the developer prefers.
  public enum RefundPreference: String, Hashable, Codable, Sendable, CaseIterable {
    case decline = "DECLINE"
    case grantFull = "GRANT_FULL"
    case grantProrated = "GRANT_PRORATED"
  }

  public static var memberErrors: [String: ServerAPIErrorCode] {
    [
      "customerConsented": .invalidCustomerConsented, "sampleContentProvided": .invalidSampleContentProvided,
      "deliveryStatus": .invalidDeliveryStatus, "refundPreference": .invalidRefundPreference,
    ]
  }

  /// Apple's errors for percentages have no published number. ``ServerAPIErrorCode/generalBadRequest`` stands for them.
  public func check() throws(ServerAPIRefusal) {
    guard customerConsented else {
      throw ServerAPIRefusal(.invalidCustomerConsented, "the body's customerConsented is not true")
    }
    try deliveryStatus.check("deliveryStatus", or: .invalidDeliveryStatus)
    try refundPreference?.check("refundPreference", or: .invalidRefundPreference)
    guard let consumptionPercentage else { return }
    guard (0...Percentage.whole).contains(consumptionPercentage) else {
      throw Self.percentageRefusal(
        "ConsumptionPercentageOutOfRange",
        "the body's consumptionPercentage is \(consumptionPercentage), not 0 to 100000")
    }
    if deliveryStatus != .delivered, consumptionPercentage != 0 {
      throw Self.percentageRefusal(
        "UndeliveredConsumptionPercentageNonZero",
        "the body's consumptionPercentage is \(consumptionPercentage), and must be 0 because nothing was delivered")
    }
    if refundPreference == OpenEnum(.grantProrated), !(1..<Percentage.whole).contains(consumptionPercentage) {
      throw Self.percentageRefusal(
        "ConsumptionPercentageOutOfRange",
        "the body's consumptionPercentage is \(consumptionPercentage), and must lie between 0 and 100000 with GRANT_PRORATED"
      )
    }
  }

  private static func percentageRefusal(_ name: String, _ reason: String) -> ServerAPIRefusal {
    ServerAPIRefusal(
      ServerAPIError(.generalBadRequest, message: "Invalid request. The consumption percentage field is invalid."),
      "\(reason) (Apple's \(name), whose number is not published)")
  }
}

/// Send Consumption Information V1: since version 1.19 for purchases of Advanced Commerce only. The answer has no body.
public struct SendConsumptionInformationV1: ServerAPICall {
  public typealias Answer = EmptyAnswer
  public static let endpoint = ServerAPIEndpoint(
    "sendConsumptionInformationV1", .put, "inApps/v1/transactions/consumption/{transactionId}", successStatus: 202,
    requestsPerSecond: 50)

  public let transactionId: TransactionID
  public let content: ConsumptionRequestV1

  public init(transactionId: TransactionID, _ content: ConsumptionRequestV1) {
    self.transactionId = transactionId
    self.content = content
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    transactionId = try request.transactionID("transactionId")
    content = try request.content()
  }

  public func request() throws -> ServerAPIRequest {
    try ServerAPIRequest(parameters: ["transactionId": transactionId.rawValue], json: content)
  }
}

/// What a developer tells about a purchase, in the first version. In each enumeration, 0 means that it is not told.
public struct ConsumptionRequestV1: ServerAPIBody {
  /// Whether the customer agreed that this is sent. It must be true.
  public var customerConsented: Bool
  /// Whether the customer could try the content before the purchase.
  public var sampleContentProvided: Bool
  /// The token of the purchase; empty if it has none.
  public var appAccountToken: AccountToken
  public var consumptionStatus: OpenEnum<ConsumptionStatus>
  public var platform: OpenEnum<Platform>
  public var deliveryStatus: OpenEnum<DeliveryStatus>
  public var accountTenure: OpenEnum<AccountTenure>
  public var playTime: OpenEnum<PlayTime>
  public var lifetimeDollarsPurchased: OpenEnum<LifetimeDollars>
  public var lifetimeDollarsRefunded: OpenEnum<LifetimeDollars>
  public var userStatus: OpenEnum<UserStatus>
  public var refundPreference: OpenEnum<RefundPreference>?

  /// A request that tells nothing except `deliveryStatus`.
  public init(customerConsented: Bool, sampleContentProvided: Bool, deliveryStatus: OpenEnum<DeliveryStatus>) {
    self.customerConsented = customerConsented
    self.sampleContentProvided = sampleContentProvided
    appAccountToken = AccountToken(uuid: nil)
    consumptionStatus = OpenEnum(.undeclared)
    platform = OpenEnum(.undeclared)
    self.deliveryStatus = deliveryStatus
    accountTenure = OpenEnum(.undeclared)
    playTime = OpenEnum(.undeclared)
    lifetimeDollarsPurchased = OpenEnum(.undeclared)
    lifetimeDollarsRefunded = OpenEnum(.undeclared)
    userStatus = OpenEnum(.undeclared)
  }

  /// A UUID, or an empty text.
  public struct AccountToken: Codable, Hashable, Sendable {
    public let uuid: UUID?

    public init(uuid: UUID?) { self.uuid = uuid }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      uuid = UUID(uuidString: text)
      guard uuid != nil || text.isEmpty else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is no UUID, and not empty")
      }
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(uuid?.uuidString.lowercased() ?? "")
    }
  }

  public enum ConsumptionStatus: Int, Hashable, Codable, Sendable, CaseIterable {
    case undeclared, notConsumed, partiallyConsumed, fullyConsumed
  }

  public enum Platform: Int, Hashable, Codable, Sendable, CaseIterable {
    case undeclared, apple, nonApple
  }

  public enum DeliveryStatus: Int, Hashable, Codable, Sendable, CaseIterable {
    case deliveredAndWorking, qualityIssue, wrongItem, serverOutage, inGameCurrencyChange, other
  }

  /// The age of the customer's account.
  public enum AccountTenure: Int, Hashable, Codable, Sendable, CaseIterable {
    case undeclared, upTo3Days, upTo10Days, upTo30Days, upTo90Days, upTo180Days, upTo365Days, over365Days
  }

  public enum PlayTime: Int, Hashable, Codable, Sendable, CaseIterable {
    case undeclared, upTo5Minutes, upTo60Minutes, upTo6Hours, upTo24Hours, upTo4Days, upTo16Days, over16Days
  }

  /// An amount in US dollars.
  public enum LifetimeDollars: Int, Hashable, Codable, Sendable, CaseIterable {
    case undeclared, zero, below50, below100, below500, below1000, below2000, from2000
  }

  public enum UserStatus: Int, Hashable, Codable, Sendable, CaseIterable {
    case undeclared, active, suspended, terminated, limitedAccess
  }

  public enum RefundPreference: Int, Hashable, Codable, Sendable, CaseIterable {
    case undeclared, grant, decline, noPreference
  }

  public static var memberErrors: [String: ServerAPIErrorCode] {
    [
      "customerConsented": .invalidCustomerConsented, "sampleContentProvided": .invalidSampleContentProvided,
      "appAccountToken": .invalidAppAccountToken, "consumptionStatus": .invalidConsumptionStatus,
      "platform": .invalidPlatform, "deliveryStatus": .invalidDeliveryStatus, "accountTenure": .invalidAccountTenure,
      "playTime": .invalidPlayTime, "lifetimeDollarsPurchased": .invalidLifetimeDollarsPurchased,
      "lifetimeDollarsRefunded": .invalidLifetimeDollarsRefunded, "userStatus": .invalidUserStatus,
      "refundPreference": .invalidRefundPreference,
    ]
  }

  public func check() throws(ServerAPIRefusal) {
    guard customerConsented else {
      throw ServerAPIRefusal(.invalidCustomerConsented, "the body's customerConsented is not true")
    }
    try consumptionStatus.check("consumptionStatus", or: .invalidConsumptionStatus)
    try platform.check("platform", or: .invalidPlatform)
    try deliveryStatus.check("deliveryStatus", or: .invalidDeliveryStatus)
    try accountTenure.check("accountTenure", or: .invalidAccountTenure)
    try playTime.check("playTime", or: .invalidPlayTime)
    try lifetimeDollarsPurchased.check("lifetimeDollarsPurchased", or: .invalidLifetimeDollarsPurchased)
    try lifetimeDollarsRefunded.check("lifetimeDollarsRefunded", or: .invalidLifetimeDollarsRefunded)
    try userStatus.check("userStatus", or: .invalidUserStatus)
    try refundPreference?.check("refundPreference", or: .invalidRefundPreference)
  }
}
