/// `verifyReceipt` answers every request with a status, and without a receipt.
public struct ReceiptStatusFault: FaultKind {
  public static let name = "receiptStatus"
  public static let summary = "verifyReceipt answers with a status"
  public static let possibleCalls: Set<RequestKind> = [.verifyReceipt]
  public static let members = [
    FaultMember(
      "status", .integer(nil), "Status", summary: "21000 to 21010, or 21100 to 21199", example: "21005",
      isRequired: true),
    FaultMember("isRetryable", .flag, "is_retryable", summary: "`is_retryable`, with 21100 to 21199"),
  ]

  /// Any status except 0, because 0 needs a receipt.
  public let status: VerifyReceiptStatus
  /// `is_retryable`; only with 21100 to 21199.
  public let isRetryable: Bool?

  public init(_ status: VerifyReceiptStatus, isRetryable: Bool? = nil) {
    self.status = status
    self.isRetryable = isRetryable
  }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer(
      with: VerifyReceiptResponse(status: status, isRetryable: isRetryable, in: request.metadata.environment))
  }

  public var problem: String? {
    if status == .valid { return "Status 0 needs a receipt; choose one of 21000 to 21010 or 21100 to 21199." }
    return isRetryable == nil || status.isInternalError ? nil : "isRetryable goes with 21100 to 21199 only."
  }
}

/// `verifyReceipt` answers with an HTTP status and no body.
public struct ReceiptServerErrorFault: FaultKind {
  public static let name = "receiptServerError"
  public static let summary = "verifyReceipt fails with an HTTP status"
  public static let possibleCalls: Set<RequestKind> = [.verifyReceipt]
  public static let members = [
    FaultMember(
      "httpStatus", .integer(500...599), "HTTP status", summary: "500 to 599", example: "503", isRequired: true)
  ]

  /// 500 to 599.
  public let httpStatus: Int

  public init(httpStatus: Int) { self.httpStatus = httpStatus }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(with: VerifyReceiptServerError(httpStatus: httpStatus))
  }

  public var problem: String? {
    (500...599).contains(httpStatus) ? nil : "httpStatus is a number from 500 to 599; it is \(httpStatus)."
  }
}
