/// The store is down. Nothing is done.
public struct OutageFault: FaultKind {
  public static let name = "outage"
  public static let summary = "every call fails"
  public static let possibleCalls = Set<RequestKind>.everything
  public static let members = [
    FaultMember(
      "appearance", .choice([.init("unavailable", "503, try later"), .init("unreachable", "nobody answers")]),
      "How it looks",
      summary: "503, or no answer at all")
  ]

  /// How an outage looks from outside.
  public enum Appearance: String, Hashable, Codable, Sendable, CaseIterable {
    /// Something answers, with 503 and the words to try later.
    case unavailable
    /// Nobody answers. Over HTTP the connection is reset, because it is there already.
    case unreachable
  }

  /// Nil is ``Appearance/unavailable``.
  public let appearance: Appearance?

  public init(_ appearance: Appearance? = nil) { self.appearance = appearance }

  public var effect: FaultEffect {
    switch appearance ?? .unavailable {
    case .unavailable: FaultEffect(action: .unavailable)
    case .unreachable: FaultEffect(action: .drop, ending: .unreachable)
    }
  }
}
