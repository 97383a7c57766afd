/// What was asked is done, and committed, and then the connection is reset: the customer was charged, and the device does
/// not know. It strikes confirmations, unless the scope says otherwise.
public struct AnswerLostFault: FaultKind {
  public static let name = "answerLost"
  public static let summary = "done and committed, then the connection is reset"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls: Set<RequestKind> = [.device(.confirm)]

  public init() {}

  public var effect: FaultEffect { FaultEffect(ending: .reset) }
}
