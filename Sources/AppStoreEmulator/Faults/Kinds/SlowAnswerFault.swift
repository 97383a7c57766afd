/// What was asked is done at once, and answered later.
public struct SlowAnswerFault: FaultKind {
  public static let name = "slowAnswer"
  public static let summary = "done at once, answered later"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.everythingButChanges
  public static let members = [
    FaultMember(
      "milliseconds", .milliseconds(atMost: 600_000), "How much later",
      summary: "how much later, of the machine's own time",
      example: "3 s", isRequired: true)
  ]

  /// How much later, in milliseconds of the machine's own time, because it is the caller's patience that is tried; 1 to
  /// 600,000. Releasing the fault ends the wait.
  public let milliseconds: Int

  public init(milliseconds: Int) { self.milliseconds = milliseconds }

  public var effect: FaultEffect { FaultEffect(waitAfter: .milliseconds(milliseconds)) }

  public var problem: String? {
    (1...600_000).contains(milliseconds) ? nil : "milliseconds is a number from 1 to 600000; it is \(milliseconds)."
  }
}
