import Foundation
import StoreModel

/// Get Transaction Info: one transaction of any type, finished or not.
public struct GetTransactionInfo: ServerAPICall {
  public typealias Answer = TransactionInfoResponse
  public static let endpoint = ServerAPIEndpoint(
    "getTransactionInfo", .get, "inApps/v1/transactions/{transactionId}", requestsPerSecond: 50)

  public let transactionId: TransactionID

  public init(transactionId: TransactionID) { self.transactionId = transactionId }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    transactionId = try request.transactionID("transactionId")
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["transactionId": transactionId.rawValue])
  }
}

public struct TransactionInfoResponse: Codable, Hashable, Sendable {
  /// A `SignedTransaction` as JWS.
  public var signedTransactionInfo: String

  public init(signedTransactionInfo: String) { self.signedTransactionInfo = signedTransactionInfo }
}

/// Get App Transaction Info: the customer's purchase or download of the app.
public struct GetAppTransactionInfo: ServerAPICall {
  public typealias Answer = AppTransactionInfoResponse
  public static let endpoint = ServerAPIEndpoint(
    "getAppTransactionInfo", .get, "inApps/v1/transactions/appTransactions/{anyTransactionId}", requestsPerSecond: 50)

  public let anyTransactionId: TransactionID

  public init(anyTransactionId: TransactionID) { self.anyTransactionId = anyTransactionId }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    anyTransactionId = try request.transactionID("anyTransactionId")
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["anyTransactionId": anyTransactionId.rawValue])
  }
}

public struct AppTransactionInfoResponse: Codable, Hashable, Sendable {
  /// A `SignedAppTransaction` as JWS.
  public var signedAppTransactionInfo: String

  public init(signedAppTransactionInfo: String) { self.signedAppTransactionInfo = signedAppTransactionInfo }
}

/// Finish Transaction: the app no longer receives the transaction as unfinished. The answer has no body.
public struct FinishTransaction: ServerAPICall {
  public typealias Answer = EmptyAnswer
  public static let endpoint = ServerAPIEndpoint(
    "finishTransaction", .post, "inApps/v1/transactions/{transactionId}/finish", requestsPerSecond: 50)

  public let transactionId: TransactionID

  public init(transactionId: TransactionID) { self.transactionId = transactionId }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    transactionId = try request.transactionID("transactionId")
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["transactionId": transactionId.rawValue])
  }
}

/// Look Up Order ID: the transactions of an order, by the number on the customer's invoice. Production only.
public struct LookUpOrderID: ServerAPICall {
  public typealias Answer = OrderLookupResponse
  public static let endpoint = ServerAPIEndpoint(
    "lookUpOrderId", .get, "inApps/v1/lookup/{orderId}", requestsPerSecond: 10)

  public let orderId: String

  public init(orderId: String) { self.orderId = orderId }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    orderId = try request.text("orderId", or: .generalBadRequest)
  }

  public func request() -> ServerAPIRequest { ServerAPIRequest(parameters: ["orderId": orderId]) }
}

public struct OrderLookupResponse: Codable, Hashable, Sendable {
  public var status: OpenEnum<OrderLookupStatus>
  /// Each a `SignedTransaction` as JWS. Nil if the order is not valid.
  public var signedTransactions: [String]?

  public init(status: OpenEnum<OrderLookupStatus>, signedTransactions: [String]? = nil) {
    self.status = status
    self.signedTransactions = signedTransactions
  }
}

public enum OrderLookupStatus: Int, Hashable, Codable, Sendable, CaseIterable {
  case valid = 0
  /// The order does not exist, or has no transactions of this app.
  case invalid = 1
}

/// Set App Account Token: replaces the token of a purchase, and of the later periods of a subscription. The answer has no
/// body.
public struct SetAppAccountToken: ServerAPICall {
  public typealias Answer = EmptyAnswer
  public static let endpoint = ServerAPIEndpoint(
    "setAppAccountToken", .put, "inApps/v1/transactions/{originalTransactionId}/appAccountToken",
    requestsPerSecond: 20)

  public let originalTransactionId: TransactionID
  public let content: UpdateAppAccountTokenRequest

  public init(originalTransactionId: TransactionID, appAccountToken: UUID) {
    self.originalTransactionId = originalTransactionId
    content = UpdateAppAccountTokenRequest(appAccountToken: appAccountToken)
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    originalTransactionId = try request.transactionID("originalTransactionId")
    content = try request.content()
  }

  public func request() throws -> ServerAPIRequest {
    try ServerAPIRequest(parameters: ["originalTransactionId": originalTransactionId.rawValue], json: content)
  }
}

public struct UpdateAppAccountTokenRequest: ServerAPIBody {
  public var appAccountToken: UUID

  public init(appAccountToken: UUID) { self.appAccountToken = appAccountToken }

  public static var memberErrors: [String: ServerAPIErrorCode] { ["appAccountToken": .invalidAppAccountTokenUUID] }
  public func check() {}
}
