/// The store carries out the request at once, and answers later.
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

  /// The delay in milliseconds of the machine's time, 1 to 600,000. Releasing the fault ends the delay.
  ///
  /// The store's clock is not used, because the delay tests the timeouts of callers.
  public let milliseconds: Int

  public init(milliseconds: Int) { self.milliseconds = milliseconds }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    let result = await request.result()
    try await request.wait(milliseconds: milliseconds)
    return try result.get()
  }

  public var problem: String? {
    (1...600_000).contains(milliseconds) ? nil : "milliseconds is a number from 1 to 600000; it is \(milliseconds)."
  }
}

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

/// Holds the quote until the fault is released or removed. Until then the device cannot show the confirmation sheet, so
/// the customer cannot confirm.
public struct HeldSheetFault: FaultKind {
  public static let name = "heldSheet"
  public static let summary = "the confirmation sheet stays away until it is released"
  public static let possibleCalls: Set<RequestKind> = [.device(.quote)]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    let result = await request.result()
    try await request.untilReleased()
    return try result.get()
  }
}
