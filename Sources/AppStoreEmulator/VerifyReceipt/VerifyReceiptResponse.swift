import Foundation
import StoreModel

/// The answer of `verifyReceipt`. Implements Apple's "responseBody" (App Store Receipts).
public struct VerifyReceiptResponse: Encodable, Sendable {
  /// What the receipt contains, in the form of its generation.
  enum Receipt: Encodable, Sendable {
    /// Of an app receipt: the app, and all that was bought in it.
    case app(AppReceiptFields)
    /// Of a legacy receipt: the one transaction, flat.
    case transaction([String: String])

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .app(let fields): try fields.encode(to: encoder)
      case .transaction(let fields): try fields.encode(to: encoder)
      }
    }
  }

  public let status: VerifyReceiptStatus
  /// Whether the caller should ask again later. Never there unless the status is an internal error.
  public let isRetryable: Bool?
  let environment: String?
  let receipt: Receipt?

  /// An answer that says no more than why.
  ///
  /// - Parameter isRetryable: sent as a JSON boolean with an internal error (21100 to 21199), where nil leaves it out;
  ///   with any other status it is never sent.
  public init(status: VerifyReceiptStatus, isRetryable: Bool? = nil) {
    self.init(status: status, isRetryable: isRetryable, environment: nil, receipt: nil)
  }

  init(environment: StoreEnvironment, receipt: Receipt) {
    self.init(status: .valid, isRetryable: nil, environment: environment, receipt: receipt)
  }

  private init(
    status: VerifyReceiptStatus, isRetryable: Bool?, environment: StoreEnvironment?, receipt: Receipt?
  ) {
    self.status = status
    self.isRetryable = status.isInternalError ? isRetryable : nil
    self.environment = environment?.rawValue
    self.receipt = receipt
  }

  // Apple has written `is_retryable` and `is-retryable`; which of them travels is not published. The underscore is the
  // newer one, and what all other fields of an answer have.
  private enum CodingKeys: String, CodingKey {
    case status, environment, receipt
    case isRetryable = "is_retryable"
  }

  /// The body as it is sent: keys sorted, so that the same answer is always the same bytes.
  public func body() throws -> Data { try DeviceAPI.encoder().encode(self) }
}
