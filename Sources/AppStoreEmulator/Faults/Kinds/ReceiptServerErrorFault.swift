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
