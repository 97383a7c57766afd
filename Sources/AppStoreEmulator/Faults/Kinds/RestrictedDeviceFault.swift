import StoreModel

/// Payments are not allowed on the device, or for its user. The store refuses before the confirmation sheet is shown.
public struct RestrictedDeviceFault: FaultKind {
  public static let name = "restrictedDevice"
  public static let summary = "payments are not allowed"
  public static let possibleCalls: Set<RequestKind> = [.device(.quote)]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(with: StoreRefusal(.paymentNotAllowed, "In-App Purchases are not allowed"))
  }
}
