/// The store does nothing and sends no answer until the caller gives up. If the fault is released or removed before
/// that, the connection is reset.
public struct NoAnswerFault: FaultKind {
  public static let name = "noAnswer"
  public static let summary = "nothing is done and nothing said"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.everythingButChanges

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.untilReleased()
    throw request.reset
  }
}
