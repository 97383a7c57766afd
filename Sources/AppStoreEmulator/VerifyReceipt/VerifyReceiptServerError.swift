/// Thrown when `verifyReceipt` answers with an HTTP status and no body.
public struct VerifyReceiptServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The HTTP status, 500 to 599.
  public let httpStatus: Int

  public init(httpStatus: Int) { self.httpStatus = httpStatus }

  public var description: String { "The receipt server failed with HTTP \(httpStatus)." }
}
