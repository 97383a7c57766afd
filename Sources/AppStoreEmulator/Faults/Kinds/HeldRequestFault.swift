/// What was asked waits at the door, and is done and answered once the fault is released or removed.
public struct HeldRequestFault: FaultKind {
  public static let name = "heldRequest"
  public static let summary = "it waits at the door until it is released"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.everythingButChanges

  public init() {}

  public var effect: FaultEffect { FaultEffect(waitBefore: .untilReleased) }
}
