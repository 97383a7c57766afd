/// The store carries out the request and commits, then resets the connection: the customer is charged, but the device
/// receives no answer. Applies to confirmations unless the scope has other calls.
public struct AnswerLostFault: FaultKind {
  public static let name = "answerLost"
  public static let summary = "done and committed, then the connection is reset"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls: Set<RequestKind> = [.device(.confirm)]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    _ = await request.result()
    throw request.reset
  }
}
