import Foundation

/// Sends `verifyReceipt` requests. The ledger speaks no HTTP itself.
public protocol ReceiptServer: Sendable {
  /// Posts a JSON document, with `Content-Type: application/json`, and waits for the answer.
  ///
  /// Redirections are not followed: the secret inside is for `url` only. At most ``ReceiptServerReply/maximumBytes`` of
  /// the answer are read.
  ///
  /// - Parameters:
  ///   - body: the document.
  ///   - url: where to.
  ///   - timeoutMilliseconds: from now until the last byte of the answer; it must return by then. At least 1.
  /// - Throws: ``ReceiptServerFailure`` where there was no answer, whatever its status.
  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply
}

/// An HTTP answer, as far as `verifyReceipt` needs it.
public struct ReceiptServerReply: Hashable, Sendable {
  /// What an answer may have, in bytes: 32 MiB.
  public static let maximumBytes = 32 << 20

  /// The HTTP status. `verifyReceipt` says 200 also for receipts it refuses.
  public var httpStatus: Int
  public var body: Data
  /// The header `Retry-After`.
  public var retryAfter: String?
  /// The header `Date`, which a `Retry-After` that is a date is compared with.
  public var date: String?

  public init(httpStatus: Int, body: Data, retryAfter: String? = nil, date: String? = nil) {
    self.httpStatus = httpStatus
    self.body = body
    self.retryAfter = retryAfter
    self.date = date
  }
}

/// Why there was no answer.
public enum ReceiptServerFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// No connection came about, or it broke.
  case noConnection(detail: String)
  /// The answer was not there in time.
  case timeout
  /// The answer has more than ``ReceiptServerReply/maximumBytes``.
  case answerTooLarge

  public var description: String {
    switch self {
    case .noConnection(let detail): "The store cannot be reached: \(detail)."
    case .timeout: "The store did not answer in time."
    case .answerTooLarge: "The store's answer is larger than \(ReceiptServerReply.maximumBytes) bytes."
    }
  }
}
