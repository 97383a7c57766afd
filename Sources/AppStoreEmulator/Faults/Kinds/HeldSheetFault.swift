/// The sheet stays away: the quote it is to show is kept until the fault is released or removed, so that nobody can
/// confirm.
public struct HeldSheetFault: FaultKind {
  public static let name = "heldSheet"
  public static let summary = "the confirmation sheet stays away until it is released"
  public static let possibleCalls: Set<RequestKind> = [.device(.quote)]

  public init() {}

  public var effect: FaultEffect { FaultEffect(waitAfter: .untilReleased) }
}
