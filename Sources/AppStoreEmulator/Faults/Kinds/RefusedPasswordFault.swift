import StoreModel

/// Refuses sign-ins, as with a wrong password.
public struct RefusedPasswordFault: FaultKind {
  public static let name = "refusedPassword"
  public static let summary = "signing in is refused"
  public static let possibleCalls: Set<RequestKind> = [.device(.signIn)]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(
      with: StoreRefusal(.signInRefused, "This App Store has no such account with that password."))
  }
}
