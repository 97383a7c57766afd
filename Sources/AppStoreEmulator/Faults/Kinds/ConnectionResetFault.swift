/// Resets the connection before the store does anything.
public struct ConnectionResetFault: FaultKind {
  public static let name = "connectionReset"
  public static let summary = "the connection is reset before anything is done"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.everythingButChanges

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    throw request.reset
  }
}
