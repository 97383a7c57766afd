import Crypto
import Foundation
import SignedData
import StoreModel

/// A message to the team's backend about one event of the ledger. Documentation/webhooks.md describes its JSON.
public struct WebhookMessage: Hashable, Encodable, Sendable {
  public let type: WebhookMessageType
  /// When the ledger recorded the change.
  public let timestamp: StoreDate
  public let data: WebhookMessageData

  /// The version of the JSON.
  public static let version = 1

  /// The JSON, in which the same message has the same bytes.
  public var body: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self)
    }
  }

  private enum CodingKeys: CodingKey {
    case type, timestamp, version, data
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type, forKey: .type)
    try container.encode(timestamp.description, forKey: .timestamp)
    try container.encode(Self.version, forKey: .version)
    try container.encode(data, forKey: .data)
  }
}

/// The contents of a message. Which members a type has: Documentation/webhooks.md.
public struct WebhookMessageData: Hashable, Encodable, Sendable {
  /// `msg_` and 32 hexadecimal digits, derived from the event. A resend has the same.
  public let id: String
  /// The place after the event; nil in a test.
  public let cursor: LedgerEventCursor?
  public var app: BundleID?
  public var environment: StoreEnvironment?
  public var customer: CustomerID?
  public var subject: String?
  public var productId: ProductID?
  public var transactionId: TransactionID?
  public var originalTransactionId: TransactionID?
  /// A ``PurchasePeriodType``, or `PROMOTIONAL` for a product that an operator has granted.
  public var periodType: String?
  public var amount: PurchasePrice?
  // The members above are always written, the others only if they are there.
  public var cause: String?
  public var quantity: Int64?
  public var purchaseDate: StoreDate?
  public var expirationDate: StoreDate?
  public var previousExpirationDate: StoreDate?
  public var renewal: Renewal?
  public var previousProductId: ProductID?
  public var newProductId: ProductID?
  public var refund: Refund?
  public var transferredFrom: CustomerID?
  public var endReason: String?
  public var credits: Credits?
  public var consumptionRequest: Request?

  /// How a subscription continues.
  public struct Renewal: Hashable, Encodable, Sendable {
    /// The product of the next period.
    public var productId: ProductID?
    public var autoRenew: Bool?
    public var billingRetry: Bool?
    public var gracePeriodExpirationDate: StoreDate?
    /// Apple's number.
    public var expirationIntent: Int64?
    /// 0 or 1.
    public var priceIncreaseStatus: Int64?
  }

  public struct Refund: Hashable, Encodable, Sendable {
    /// In thousandths of a percent; 0 after a reversal.
    public var percentage: Int64
    public var previousPercentage: Int64
    public var date: StoreDate?
    /// Apple's number.
    public var reason: Int64?
  }

  public struct Credits: Hashable, Encodable, Sendable {
    public var unit: CreditUnit
    public var amount: Int64
    /// After the movement.
    public var balance: Int64?
    public var cause: String?
    public var key: String?
  }

  /// A request of the App Store for information about consumption.
  public struct Request: Hashable, Encodable, Sendable {
    public var uuid: String
    public var reason: String?
    public var requested: StoreDate
    public var deadline: StoreDate
    public var state: String
  }

  init(id: String, cursor: LedgerEventCursor?) {
    self.id = id
    self.cursor = cursor
  }

  private enum CodingKeys: CodingKey {
    case id, cursor, app, environment, customer, subject, productId, transactionId, originalTransactionId, periodType
    case amount, cause, quantity, purchaseDate, expirationDate, previousExpirationDate, renewal, previousProductId
    case newProductId, refund, transferredFrom, endReason, credits, consumptionRequest
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(cursor?.text, forKey: .cursor)
    try container.encode(app, forKey: .app)
    try container.encode(environment, forKey: .environment)
    try container.encode(customer, forKey: .customer)
    try container.encode(subject, forKey: .subject)
    try container.encode(productId, forKey: .productId)
    try container.encode(transactionId, forKey: .transactionId)
    try container.encode(originalTransactionId, forKey: .originalTransactionId)
    try container.encode(periodType, forKey: .periodType)
    try container.encode(amount, forKey: .amount)
    try container.encodeIfPresent(cause, forKey: .cause)
    try container.encodeIfPresent(quantity, forKey: .quantity)
    try container.encodeIfPresent(purchaseDate, forKey: .purchaseDate)
    try container.encodeIfPresent(expirationDate, forKey: .expirationDate)
    try container.encodeIfPresent(previousExpirationDate, forKey: .previousExpirationDate)
    try container.encodeIfPresent(renewal, forKey: .renewal)
    try container.encodeIfPresent(previousProductId, forKey: .previousProductId)
    try container.encodeIfPresent(newProductId, forKey: .newProductId)
    try container.encodeIfPresent(refund, forKey: .refund)
    try container.encodeIfPresent(transferredFrom, forKey: .transferredFrom)
    try container.encodeIfPresent(endReason, forKey: .endReason)
    try container.encodeIfPresent(credits, forKey: .credits)
    try container.encodeIfPresent(consumptionRequest, forKey: .consumptionRequest)
  }
}

/// The ids of messages.
enum WebhookMessageID {
  /// The id of the message about an event. It is not random, so that each attempt, each webhook and each export has the same.
  static func make(_ type: WebhookMessageType, at cursor: LedgerEventCursor) -> String {
    make(cursor.key + [type.rawValue])
  }

  /// The id of a test.
  static func test(of webhook: String, number: Int64) -> String {
    make([webhook, "\(number)", WebhookMessageType.test.rawValue])
  }

  private static func make(_ parts: [String]) -> String {
    let digest = SHA256.hash(data: Data(parts.joined(separator: " ").utf8))
    return "msg_" + String(Hexadecimal.lowercaseText(of: Array(digest)).prefix(32))
  }
}

/// A page of messages.
public struct WebhookMessagePage: Sendable {
  public let messages: [WebhookMessage]
  /// Where the next page begins. It is the cursor that was given if there is nothing more now.
  public let next: LedgerEventCursor
}
