import Foundation
import StoreModel

/// The answer of `verifyReceipt`. Implements Apple's "responseBody" (App Store Receipts).
public struct VerifyReceiptResponse: Encodable, Sendable {
  /// The contents of the receipt, in the format of its kind.
  enum Receipt: Encodable, Sendable {
    /// The app of an app receipt, and its listed transactions.
    case app(AppReceiptFields)
    /// The transaction of a legacy receipt.
    case transaction([String: String])

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .app(let fields): try fields.encode(to: encoder)
      case .transaction(let fields): try fields.encode(to: encoder)
      }
    }
  }

  public let status: VerifyReceiptStatus
  /// `true` if the request may be retried. Present only with statuses 21100 to 21199.
  public let isRetryable: Bool?
  let environment: String?
  let receipt: Receipt?
  /// Nil for receipts without subscriptions.
  let renewals: RenewalFields?

  /// An answer with a status and without a receipt.
  ///
  /// - Parameter isRetryable: sent as a JSON boolean with statuses 21100 to 21199, unless it is nil. It is not sent
  ///   with other statuses.
  public init(status: VerifyReceiptStatus, isRetryable: Bool? = nil) {
    self.init(status: status, isRetryable: isRetryable, environment: nil, receipt: nil, renewals: nil)
  }

  /// An answer to a genuine receipt.
  init(
    status: VerifyReceiptStatus = .valid, environment: StoreEnvironment, receipt: Receipt,
    renewals: RenewalFields? = nil
  ) {
    self.init(status: status, isRetryable: nil, environment: environment, receipt: receipt, renewals: renewals)
  }

  private init(
    status: VerifyReceiptStatus, isRetryable: Bool?, environment: StoreEnvironment?, receipt: Receipt?,
    renewals: RenewalFields?
  ) {
    self.status = status
    self.isRetryable = status.isInternalError ? isRetryable : nil
    self.environment = environment?.rawValue
    self.receipt = receipt
    self.renewals = renewals
  }

  // Apple has documented both `is_retryable` and `is-retryable`, and does not publish which one it sends. The
  // underscore is newer, and all other fields of an answer have it.
  private enum CodingKeys: String, CodingKey {
    case status, environment, receipt
    case isRetryable = "is_retryable"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encodeIfPresent(isRetryable, forKey: .isRetryable)
    try container.encodeIfPresent(environment, forKey: .environment)
    try container.encodeIfPresent(receipt, forKey: .receipt)
    try renewals?.encode(to: encoder)
  }

  /// The encoded body. Keys are sorted, so that the same answer always has the same bytes.
  public func body() throws -> Data { try DeviceAPI.encoder().encode(self) }
}
