/// Makes the store unavailable. It carries out no request.
public struct OutageFault: FaultKind {
  public static let name = "outage"
  public static let summary = "every call fails"
  public static let possibleCalls = Set<RequestKind>.everything
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
