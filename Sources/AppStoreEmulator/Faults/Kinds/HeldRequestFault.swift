/// The request waits until the fault is released or removed. Then the store carries it out and answers.
public struct HeldRequestFault: FaultKind {
  public static let name = "heldRequest"
  public static let summary = "it waits in the store until it is released"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.everythingButChanges

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.untilReleased()
    return try await request.answer()
  }
}
