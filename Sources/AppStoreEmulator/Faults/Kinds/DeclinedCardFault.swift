import StoreModel

/// Declines the customer's payment method. Nothing is charged, and the payment has failed permanently.
public struct DeclinedCardFault: FaultKind {
  public static let name = "declinedCard"
  public static let summary = "the payment method is declined"
  public static let possibleCalls: Set<RequestKind> = [.device(.confirm)]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(
      with: StoreRefusal(.paymentDeclined, "The payment method was declined. Nothing was charged."))
  }
}
