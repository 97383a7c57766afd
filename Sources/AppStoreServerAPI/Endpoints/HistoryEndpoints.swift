import StoreModel

/// Get Transaction History: a page of the customer's transactions, at most 20.
public struct GetTransactionHistory: ServerAPICall {
  public typealias Answer = HistoryResponse
  public static let endpoint = ServerAPIEndpoint(
    "getTransactionHistory", .get, "inApps/v2/history/{anyTransactionId}", requestsPerSecond: 50)

  public let anyTransactionId: TransactionID
  public var query: TransactionHistoryQuery

  public init(anyTransactionId: TransactionID, query: TransactionHistoryQuery = TransactionHistoryQuery()) {
    self.anyTransactionId = anyTransactionId
    self.query = query
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    anyTransactionId = try request.transactionID("anyTransactionId")
    query = try TransactionHistoryQuery(request)
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["anyTransactionId": anyTransactionId.rawValue], query: query.items)
  }
}

/// Get Transaction History V1, deprecated: as ``GetTransactionHistory``, without finished consumables.
public struct GetTransactionHistoryV1: ServerAPICall {
  public typealias Answer = HistoryResponse
  public static let endpoint = ServerAPIEndpoint(
    "getTransactionHistoryV1", .get, "inApps/v1/history/{anyTransactionId}", requestsPerSecond: 50)

  public let anyTransactionId: TransactionID
  public var query: TransactionHistoryQuery

  public init(anyTransactionId: TransactionID, query: TransactionHistoryQuery = TransactionHistoryQuery()) {
    self.anyTransactionId = anyTransactionId
    self.query = query
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    anyTransactionId = try request.transactionID("anyTransactionId")
    query = try TransactionHistoryQuery(request)
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["anyTransactionId": anyTransactionId.rawValue], query: query.items)
  }
}

/// The filters of a transaction history. Values within one filter are alternatives; all filters must match.
public struct TransactionHistoryQuery: Hashable, Sendable {
  /// The token of the previous page; nil for the first page. The filters must be the same for all pages.
  public var revision: String?
  /// The earliest purchase date.
  public var startDate: StoreDate?
  /// The purchase dates are before this date. It must be after ``startDate``.
  public var endDate: StoreDate?
  public var productIds: [ProductID] = []
  public var productTypes: [HistoryProductType] = []
  public var subscriptionGroupIdentifiers: [SubscriptionGroupID] = []
  public var inAppOwnershipType: OwnershipType?
  /// Only revoked (true) or only other (false) transactions; nil for both.
  public var revoked: Bool?
  /// The order, by the date of the last change; ascending if nil.
  public var sort: HistorySort?
  /// Deprecated: `revoked` replaces it.
  public var excludeRevoked: Bool?

  public init() {}
}

/// The order of a history, by the date of a transaction's last change.
public enum HistorySort: String, Hashable, Codable, Sendable, CaseIterable {
  case ascending = "ASCENDING"
  case descending = "DESCENDING"
}

/// A product type in the filters of a history.
public enum HistoryProductType: String, Hashable, Codable, Sendable, CaseIterable {
  case autoRenewable = "AUTO_RENEWABLE"
  case nonRenewable = "NON_RENEWABLE"
  case consumable = "CONSUMABLE"
  case nonConsumable = "NON_CONSUMABLE"

  public var productType: ProductType {
    switch self {
    case .autoRenewable: .autoRenewableSubscription
    case .nonRenewable: .nonRenewingSubscription
    case .consumable: .consumable
    case .nonConsumable: .nonConsumable
    }
  }
}

extension TransactionHistoryQuery {
  init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    revision = try request.value("revision", or: .invalidRequestRevision)
    startDate = try request.date("startDate", or: .invalidStartDate)
    endDate = try request.date("endDate", or: .invalidEndDate)
    if let startDate, let endDate, endDate <= startDate {
      throw ServerAPIRefusal(.invalidEndDate, "the query's endDate is not after its startDate")
    }
    productIds = try request.values("productId", or: .invalidProductId, "a product id") {
      $0.isEmpty ? nil : ProductID($0)
    }
    productTypes = try request.values(
      "productType", or: .invalidProductType, Self.oneOf(HistoryProductType.self), HistoryProductType.init)
    subscriptionGroupIdentifiers = try request.values(
      "subscriptionGroupIdentifier", or: .invalidSubscriptionGroupIdentifier, "an identifier of a subscription group"
    ) { $0.isEmpty ? nil : SubscriptionGroupID($0) }
    inAppOwnershipType = try request.value(
      "inAppOwnershipType", or: .invalidInAppOwnershipType, Self.oneOf(OwnershipType.self), OwnershipType.init)
    revoked = try request.bool("revoked", or: .invalidRevoked)
    sort = try request.value("sort", or: .invalidSort, Self.oneOf(HistorySort.self), HistorySort.init)
    excludeRevoked = try request.bool("excludeRevoked", or: .invalidExcludeRevoked)
  }

  private static func oneOf<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type) -> String {
    "one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")
  }

  var items: [ServerAPIRequest.QueryItem] {
    var items: [ServerAPIRequest.QueryItem] = []
    func add(_ name: String, _ value: String?) { if let value { items.append(.init(name, value)) } }
    add("revision", revision)
    add("startDate", startDate.map { "\($0.millisecondsSince1970)" })
    add("endDate", endDate.map { "\($0.millisecondsSince1970)" })
    for id in productIds { add("productId", id.rawValue) }
    for type in productTypes { add("productType", type.rawValue) }
    for group in subscriptionGroupIdentifiers { add("subscriptionGroupIdentifier", group.rawValue) }
    add("inAppOwnershipType", inAppOwnershipType?.rawValue)
    add("revoked", revoked.map { "\($0)" })
    add("sort", sort?.rawValue)
    add("excludeRevoked", excludeRevoked.map { "\($0)" })
    return items
  }
}

/// A page of a transaction history.
public struct HistoryResponse: Codable, Hashable, Sendable {
  /// The token for the next page. It never expires: after the last page of an ascending history, it finds what changes
  /// later.
  public var revision: String
  public var hasMore: Bool
  public var bundleId: BundleID
  /// Production only.
  public var appAppleId: Int64?
  public var environment: OpenEnum<StoreEnvironment>
  /// Each a `SignedTransaction` as JWS.
  public var signedTransactions: [String]

  public init(
    revision: String, hasMore: Bool, bundleId: BundleID, appAppleId: Int64? = nil,
    environment: OpenEnum<StoreEnvironment>, signedTransactions: [String]
  ) {
    self.revision = revision
    self.hasMore = hasMore
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environment = environment
    self.signedTransactions = signedTransactions
  }

  /// The largest number of transactions on a page.
  public static let pageSize = 20
}

/// Get Refund History: a page of the customer's refunded transactions, the oldest refund first.
public struct GetRefundHistory: ServerAPICall {
  public typealias Answer = RefundHistoryResponse
  public static let endpoint = ServerAPIEndpoint(
    "getRefundHistory", .get, "inApps/v2/refund/lookup/{anyTransactionId}", requestsPerSecond: 10)

  public let anyTransactionId: TransactionID
  /// The token of the previous page; nil for the first page.
  public var revision: String?

  public init(anyTransactionId: TransactionID, revision: String? = nil) {
    self.anyTransactionId = anyTransactionId
    self.revision = revision
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    anyTransactionId = try request.transactionID("anyTransactionId")
    revision = try request.value("revision", or: .invalidRequestRevision)
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(
      parameters: ["anyTransactionId": anyTransactionId.rawValue],
      query: revision.map { [.init("revision", $0)] } ?? [])
  }
}

/// A page of a refund history.
public struct RefundHistoryResponse: Codable, Hashable, Sendable {
  /// Each a `SignedTransaction` as JWS.
  public var signedTransactions: [String]
  /// The token for the next page.
  public var revision: String
  public var hasMore: Bool

  public init(signedTransactions: [String], revision: String, hasMore: Bool) {
    self.signedTransactions = signedTransactions
    self.revision = revision
    self.hasMore = hasMore
  }
}

/// Get Refund History V1, deprecated: the customer's refunded transactions, at most 50, without pages.
public struct GetRefundHistoryV1: ServerAPICall {
  public typealias Answer = RefundLookupResponse
  public static let endpoint = ServerAPIEndpoint(
    "getRefundHistoryV1", .get, "inApps/v1/refund/lookup/{originalTransactionId}", requestsPerSecond: 10)
  /// The largest number of transactions in an answer.
  public static let largestNumber = 50

  public let originalTransactionId: TransactionID

  public init(originalTransactionId: TransactionID) { self.originalTransactionId = originalTransactionId }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    originalTransactionId = try request.transactionID("originalTransactionId")
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["originalTransactionId": originalTransactionId.rawValue])
  }
}

public struct RefundLookupResponse: Codable, Hashable, Sendable {
  /// Each a `SignedTransaction` as JWS.
  public var signedTransactions: [String]

  public init(signedTransactions: [String]) { self.signedTransactions = signedTransactions }
}
