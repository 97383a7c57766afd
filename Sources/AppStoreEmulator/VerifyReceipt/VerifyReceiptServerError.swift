import StoreModel

/// Thrown when `verifyReceipt` answers with an HTTP status and no body.
public struct VerifyReceiptServerError: DescribedError, Hashable, Sendable {
  /// The HTTP status, 500 to 599.
  public let httpStatus: Int

  public init(httpStatus: Int) { self.httpStatus = httpStatus }

  public var description: String { "The receipt server failed with HTTP \(httpStatus)." }
}
