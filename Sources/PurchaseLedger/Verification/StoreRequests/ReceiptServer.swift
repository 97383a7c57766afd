import Foundation
import StoreModel

/// Sends `verifyReceipt` requests over HTTP.
public protocol ReceiptServer: Sendable {
  /// Posts a JSON document with `Content-Type: application/json`, and returns the response.
  ///
  /// It must not follow redirects, because the shared secret is for `url` only. It reads at most
  /// ``ReceiptServerReply/maximumBytes`` of the response.
  ///
  /// - Parameters:
  ///   - body: the JSON document.
  ///   - url: the endpoint.
  ///   - timeoutMilliseconds: the time until the last byte of the response, at least 1. The function must return by then.
  /// - Throws: ``ReceiptServerFailure`` if there was no response. A response with an error status is returned, not thrown.
  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply
}

/// An HTTP response, with the parts that `verifyReceipt` needs.
public struct ReceiptServerReply: Hashable, Sendable {
  /// The maximum size of a response body, in bytes: 32 MiB.
  public static let maximumBytes = 32 << 20

  /// The HTTP status. `verifyReceipt` returns 200 also for receipts that it refuses.
  public var httpStatus: Int
  public var body: Data
  /// The header `Retry-After`.
  public var retryAfter: String?
  /// The header `Date`. If `Retry-After` is a date, the waiting time is counted from the value of `Date`.
  public var date: String?

  public init(httpStatus: Int, body: Data, retryAfter: String? = nil, date: String? = nil) {
    self.httpStatus = httpStatus
    self.body = body
    self.retryAfter = retryAfter
    self.date = date
  }
}

/// Thrown when there was no HTTP response.
public enum ReceiptServerFailure: DescribedError, Hashable, Sendable {
  /// The connection could not be opened, or it broke.
  case noConnection(detail: String)
  /// The response did not arrive in time.
  case timeout
  /// The response body is larger than ``ReceiptServerReply/maximumBytes``.
  case answerTooLarge

  public var description: String {
    switch self {
    case .noConnection(let detail): "The store cannot be reached: \(detail)."
    case .timeout: "The store did not answer in time."
    case .answerTooLarge: "The store's answer is larger than \(ReceiptServerReply.maximumBytes) bytes."
    }
  }
}
