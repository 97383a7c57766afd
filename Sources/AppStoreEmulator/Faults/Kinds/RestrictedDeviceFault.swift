import StoreModel

/// The device, or its user, may not pay. The store says so before anything is shown for confirmation.
public struct RestrictedDeviceFault: FaultKind {
  public static let name = "restrictedDevice"
  public static let summary = "payments are not allowed"
  public static let possibleCalls: Set<RequestKind> = [.device(.quote)]

  public init() {}

  public var effect: FaultEffect {
    FaultEffect(action: .fail(StoreRefusal(.paymentNotAllowed, "In-App Purchases are not allowed")))
  }
}
