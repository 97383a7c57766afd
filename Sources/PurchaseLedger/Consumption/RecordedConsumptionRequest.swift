import StoreModel

/// A request of the App Store for information about the consumption of a purchase, because the customer has asked for a refund
/// (`CONSUMPTION_REQUEST`).
public struct RecordedConsumptionRequest: Hashable, Codable, Sendable {
  /// The `notificationUUID` of its notification.
  public let uuid: String
  public let environment: StoreEnvironment
  public let transactionId: TransactionID
  /// The original transaction id of the purchase, which is the id of the claim on it.
  public let originalTransactionId: TransactionID
  public let type: ProductType
  /// The owner of the purchase; nil if no customer has claimed it.
  public let customer: CustomerID?
  /// Whether this customer consents now.
  public let hasConsent: Bool
  /// Why the customer asks for a refund, in the App Store's words; nil if the App Store does not say it.
  public let reason: String?
  /// When the App Store asked, by its clock.
  public let requested: StoreDate
  /// When the ledger recorded it.
  public let received: StoreDate
  /// When the App Store no longer takes the answer into account, by its clock.
  public let deadline: StoreDate
  public let state: ConsumptionState
  /// How often a server has looked at the request, to answer it.
  public let attempts: Int64
  /// Why the last attempt has failed; nil if it has not.
  public let problem: String?
  /// When the state became final; nil before.
  public let settled: StoreDate?
  /// In the state `answered`: what was sent. In the other states: what an operator has chosen. Missing values are computed.
  public let values: ConsumptionValues
  /// The date of the consent with which it was sent; nil if nothing was sent.
  public let consented: StoreDate?
}

extension RecordedConsumptionRequest {
  /// How long the App Store waits for an answer, in seconds.
  static let answerSeconds: Int64 = 12 * 3_600

  /// The columns of `consumption_request`.
  static let columns = """
    uuid, environment, id, claim, type, reason, requested, received, deadline, state, attempts, problem, settled, delivery, percentage, \
    preference, sample, consented
    """

  /// Returns a query of requests with the owner of each purchase.
  ///
  /// - Parameters:
  ///   - condition: what follows `WHERE`, about columns of `consumption_request`. It ends with the order and the limit, so that they
  ///     apply before the owners are looked up.
  ///   - order: repeats the order.
  static func query(_ condition: String, order: String) -> String {
    """
    SELECT r.*, c.customer, COALESCE(k.consumption, 0) AS has_consent
    FROM (SELECT app, \(columns) FROM consumption_request WHERE \(condition)) AS r
    LEFT JOIN claim c ON c.app = r.app AND c.environment = r.environment AND c.id = r.claim
    LEFT JOIN customer_consent k ON k.customer = c.customer AND k.app = r.app
    ORDER BY \(order)
    """
  }

  init(_ row: SQLRow) throws {
    self.init(
      uuid: try row.text("uuid"), environment: try row.value("environment"), transactionId: try row.value("id"),
      originalTransactionId: try row.value("claim"), type: try row.value("type"),
      customer: try row.optionalText("customer") == nil ? nil : try row.customer("customer"),
      hasConsent: try row.flag("has_consent"), reason: try row.optionalText("reason"),
      requested: try row.date("requested"), received: try row.date("received"), deadline: try row.date("deadline"),
      state: try row.value("state"),
      attempts: try row.integer("attempts"), problem: try row.optionalText("problem"),
      settled: try row.optionalDate("settled"), values: try ConsumptionValues(row),
      consented: try row.optionalDate("consented"))
  }
}

extension ConsumptionValues {
  /// Reads the columns of `consumption_request`.
  init(_ row: SQLRow) throws {
    self.init(
      refundPreference: try row.optionalText("preference") == nil ? nil : try row.value("preference"),
      deliveryStatus: try row.optionalText("delivery") == nil ? nil : try row.value("delivery"),
      consumptionPercentage: try row.optionalInteger("percentage"),
      sampleContentProvided: try row.optionalInteger("sample").map { $0 != 0 })
  }
}
