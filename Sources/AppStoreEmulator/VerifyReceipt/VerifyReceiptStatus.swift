import StoreModel

/// The status of a `verifyReceipt` answer. Implements Apple's "status" (App Store Receipts).
///
/// Only codes that Apple lists are valid: 0, 21000 to 21010, and 21100 to 21199.
public struct VerifyReceiptStatus: RawRepresentable, Hashable, Sendable {
  /// The number in the answer.
  public let rawValue: Int

  /// Nil if Apple does not list the number.
  public init?(rawValue: Int) {
    guard rawValue == 0 || (21000...21010).contains(rawValue) || Self.internalErrors.contains(rawValue) else {
      return nil
    }
    self.rawValue = rawValue
  }

  private init(_ rawValue: Int) { self.rawValue = rawValue }

  /// Various errors inside the store. Only they have `is_retryable`.
  public static let internalErrors = 21100...21199

  /// Whether the status is one of ``internalErrors``.
  public var isInternalError: Bool { Self.internalErrors.contains(rawValue) }
}

extension VerifyReceiptStatus {
  /// 0: the receipt is valid.
  public static let valid = VerifyReceiptStatus(0)
  /// 21000: the request was not an HTTP POST of a JSON object, or `exclude-old-transactions` was not a boolean.
  public static let unreadableRequest = VerifyReceiptStatus(21000)
  /// 21001: Apple no longer sends it.
  public static let retired = VerifyReceiptStatus(21001)
  /// 21002: `receipt-data` is missing or not a receipt, the store had a temporary problem, or, as measured at Apple's
  /// endpoint, the receipt is not accepted for any other reason.
  public static let malformedReceipt = VerifyReceiptStatus(21002)
  /// 21003: the receipt was not signed by this store. Sent only with ``StoreSettings/documented21003``.
  public static let notAuthenticated = VerifyReceiptStatus(21003)
  /// 21004: `password` is not the app's shared secret.
  public static let wrongSharedSecret = VerifyReceiptStatus(21004)
  /// 21005: the store cannot answer at the moment.
  public static let temporarilyUnavailable = VerifyReceiptStatus(21005)
  /// 21006: a valid receipt of iOS 6 for a subscription that has ended.
  public static let subscriptionExpired = VerifyReceiptStatus(21006)
  /// 21007: a sandbox receipt was sent to production.
  public static let sandboxReceiptSentToProduction = VerifyReceiptStatus(21007)
  /// 21008: a production receipt was sent to the sandbox.
  public static let productionReceiptSentToSandbox = VerifyReceiptStatus(21008)
  /// 21009: the store could not read its own data.
  public static let dataAccessError = VerifyReceiptStatus(21009)
  /// 21010: the app or the customer's account is unknown.
  public static let accountNotFound = VerifyReceiptStatus(21010)
}

extension VerifyReceiptStatus: Codable {
  public init(from decoder: any Decoder) throws {
    let number = try decoder.singleValueContainer().decode(Int.self)
    guard let status = VerifyReceiptStatus(rawValue: number) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "\(number) is no status of verifyReceipt; use 0, 21000 to 21010 or 21100 to 21199"))
    }
    self = status
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

/// Thrown when `verifyReceipt` answers with an HTTP status and no body.
public struct VerifyReceiptServerError: DescribedError, Hashable, Sendable {
  /// The HTTP status, 500 to 599.
  public let httpStatus: Int

  public init(httpStatus: Int) { self.httpStatus = httpStatus }

  public var description: String { "The receipt server failed with HTTP \(httpStatus)." }
}
