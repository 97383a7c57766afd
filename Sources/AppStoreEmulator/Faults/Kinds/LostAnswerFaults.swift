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

/// The store carries out the request and commits, then resets the connection: the customer is charged, but the device
/// receives no answer. Applies to confirmations unless the scope has other calls.
public struct AnswerLostFault: FaultKind {
  public static let name = "answerLost"
  public static let summary = "done and committed, then the connection is reset"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls: Set<RequestKind> = [.device(.confirm)]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    _ = await request.result()
    throw request.reset
  }
}

/// Makes the store unavailable. It carries out no request.
public struct OutageFault: FaultKind {
  public static let name = "outage"
  public static let summary = "every call fails"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let usualCalls = Set<RequestKind>.callsOfTheStore
  public static let members = [
    FaultMember(
      "appearance", .choice([.init("unavailable", "503, try later"), .init("unreachable", "no answer")]),
      "How it looks",
      summary: "503, or no answer at all")
  ]

  /// How callers see the outage.
  public enum Appearance: String, Hashable, Codable, Sendable, CaseIterable {
    /// The store answers with HTTP 503, and a message to try again later.
    case unavailable
    /// The store does not answer. Over HTTP, a connection exists already, so it is reset.
    case unreachable
  }

  /// Nil means ``Appearance/unavailable``.
  public let appearance: Appearance?

  public init(_ appearance: Appearance? = nil) { self.appearance = appearance }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    throw (appearance ?? .unavailable) == .unavailable ? request.unavailable : request.unreachable
  }
}
