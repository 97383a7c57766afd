/// Resets the connection before the store does anything.
public struct ConnectionResetFault: FaultKind {
  public static let name = "connectionReset"
  public static let summary = "the connection is reset before anything is done"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.everythingButChanges

  public init() {}

  public var effect: FaultEffect { FaultEffect(action: .drop, ending: .reset) }
}
