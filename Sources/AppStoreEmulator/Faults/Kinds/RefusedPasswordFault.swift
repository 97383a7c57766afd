import StoreModel

/// Refuses sign-ins, as with a wrong password.
public struct RefusedPasswordFault: FaultKind {
  public static let name = "refusedPassword"
  public static let summary = "signing in is refused"
  public static let possibleCalls: Set<RequestKind> = [.device(.signIn)]

  public init() {}

  public var effect: FaultEffect {
    FaultEffect(
      action: .fail(
        StoreRefusal(.signInRefused, "This App Store has no such account with that password.")))
  }
}
