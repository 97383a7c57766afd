import StoreModel

/// Makes a request fail with an error of any domain and code, which the app receives.
///
/// Applies to confirmations unless the scope has other calls. After a failed confirmation, the payment has failed
/// permanently: nothing is charged, and a repeated confirmation of the payment gets the same error.
public struct AppErrorFault: FaultKind {
  public static let name = "appError"
  public static let summary = "the payment, or another call, fails with an error that apps see"
  public static let possibleCalls = Set<RequestKind>.deviceCalls
  public static let usualCalls: Set<RequestKind> = [.device(.confirm)]
  public static let members = [
    FaultMember(
      "error", .appError, "Error", summary: "the error that apps see", example: "SKErrorDomain:2", isRequired: true)
  ]

  /// The error that apps receive.
  public let error: AppError

  public init(_ error: AppError) { self.error = error }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(
      with: StoreRefusal(
        .storeFailure, "The store failed with \(error.domain) \(error.code).", appError: error))
  }

  public var problem: String? { error.domain.isEmpty ? "An error needs a domain, such as SKErrorDomain." : nil }

  private enum CodingKeys: String, CodingKey { case error }
  private enum ErrorKeys: String, CodingKey { case underlying }

  /// Refuses unknown keys of the error, like those of the fault.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    error = try container.decode(AppError.self, forKey: .error)
    try container.superDecoder(forKey: .error).refuseUnknownKeys(besides: ["domain", "code", "message", "underlying"])
    if error.underlying != nil {
      try container.nestedContainer(keyedBy: ErrorKeys.self, forKey: .error).superDecoder(forKey: .underlying)
        .refuseUnknownKeys(besides: ["domain", "code"])
    }
  }
}

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
