/// The store carries out the request, and holds the answer until the fault is released or removed.
public struct HeldAnswerFault: FaultKind {
  public static let name = "heldAnswer"
  public static let summary = "done, and the answer kept until it is released"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.everythingButChanges

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    let result = await request.result()
    try await request.untilReleased()
    return try result.get()
  }
}
