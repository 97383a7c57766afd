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
