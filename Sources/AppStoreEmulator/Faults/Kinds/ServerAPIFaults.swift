import AppStoreServerAPI
import StoreModel

/// The App Store Server API does not know a transaction yet, as when a backend asks right after the purchase. Set it for a number of
/// requests or a duration.
public struct TransactionNotFoundYetFault: FaultKind {
  public static let name = "transactionNotFoundYet"
  public static let summary = "the Server API does not find a transaction yet (4040010)"
  /// The calls that name a transaction, except those that want the original one and have an error of their own (4040005).
  public static let possibleCalls = Set(
    ServerAPI.calls.filter { $0.endpoint.path.contains("ransactionId}") }.map(RequestKind.serverAPI)
  )
  .subtracting([.serverAPI(SetAppAccountToken.self), .serverAPI(ExtendSubscriptionRenewalDate.self)])
  .union([.serverAPI(GetNotificationHistory.self)])

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(with: ServerAPIRefusal(.transactionIdNotFound, "a fault hides the transaction"))
  }
}

/// The App Store Server API answers with one of its errors.
public struct ServerAPIErrorFault: FaultKind {
  public static let name = "serverAPIError"
  public static let summary = "the Server API answers with an error of its own"
  public static let possibleCalls = Set<RequestKind>.serverAPICalls
  public static let members = [
    FaultMember(
      "errorCode", .integer(nil), "Error code", summary: "a code of the Server API, such as 4040002",
      example: "5000001",
      isRequired: true)
  ]

  /// A code that the Server API can answer with.
  public let errorCode: Int64

  public init(_ code: ServerAPIErrorCode) { errorCode = code.rawValue }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    guard let code = ServerAPIErrorCode(rawValue: errorCode) else { return try await request.answer() }
    return try await request.fail(with: ServerAPIRefusal(code, "a fault answers with \(code.name)"))
  }

  public var problem: String? {
    ServerAPIErrorCode(rawValue: errorCode) == nil
      ? "errorCode is a code of the App Store Server API, such as 4040002 or 5000001; it is \(errorCode)." : nil
  }
}

/// The App Store Server API fails, with an error that clients repeat, or with one that they do not.
public struct ServerAPIFailureFault: FaultKind {
  public static let name = "serverAPIFailure"
  public static let summary = "the Server API fails with HTTP 500"
  public static let possibleCalls = Set<RequestKind>.serverAPICalls
  public static let members = [
    FaultMember(
      "internalError",
      .choice([.init("retryable", "5000001, try again"), .init("final", "5000000")]), "Error",
      summary: "whether the error says that the request can be repeated")
  ]

  public enum InternalError: String, Hashable, Codable, Sendable, CaseIterable {
    /// 5000001, GeneralInternalRetryable.
    case retryable
    /// 5000000, GeneralInternal.
    case final
  }

  /// Nil means ``InternalError/retryable``.
  public let internalError: InternalError?

  public init(_ internalError: InternalError? = nil) { self.internalError = internalError }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(
      with: ServerAPIRefusal(internalError == .final ? .generalInternal : .generalInternalRetryable, "a fault"))
  }
}

/// The App Store Server API answers that too many requests were sent, whether limits are on or not.
public struct RateLimitFault: FaultKind {
  public static let name = "rateLimitExceeded"
  public static let summary = "the Server API answers that too many requests were sent (4290000)"
  public static let possibleCalls = Set<RequestKind>.serverAPICalls
  public static let members = [
    FaultMember(
      "retryAfterMilliseconds", .milliseconds(atMost: 3_600_000), "Allowed again after",
      summary: "how long after the answer the next request is allowed; by default a second")
  ]

  /// The time until `Retry-After`, in milliseconds of the machine's time, 1 to 3,600,000. Nil means 1,000.
  public let retryAfterMilliseconds: Int?

  public init(retryAfterMilliseconds: Int? = nil) { self.retryAfterMilliseconds = retryAfterMilliseconds }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(
      with: RateLimitExceeded(
        nextDate: request.machineDate.adding(milliseconds: Int64(retryAfterMilliseconds ?? 1_000)),
        reasonForDeveloper: "a fault"))
  }

  public var problem: String? {
    (1...3_600_000).contains(retryAfterMilliseconds ?? 1)
      ? nil : "retryAfterMilliseconds is a number from 1 to 3600000; it is \(retryAfterMilliseconds ?? 0)."
  }
}

/// The App Store Server API refuses every token, as with a wrong key.
public struct TokenRefusedFault: FaultKind {
  public static let name = "tokenRefused"
  public static let summary = "the Server API refuses the token (401)"
  public static let possibleCalls = Set<RequestKind>.serverAPICalls

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.fail(with: UnauthenticatedRequest("a fault refuses the token"))
  }
}

/// The App Store Server API refuses every token in production, because the app was never released there.
public struct AppNotReleasedFault: FaultKind {
  public static let name = "appNotReleased"
  public static let summary = "the Server API in production refuses tokens, because the app has no release yet (401)"
  public static let possibleCalls = Set<RequestKind>.serverAPICalls

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    guard request.metadata.environment == .production else { return try await request.answer() }
    return try await request.fail(
      with: UnauthenticatedRequest("a fault: the app has no production release yet; use the sandbox until it has"))
  }
}

extension Set<RequestKind> {
  /// The calls of the App Store Server API.
  static let serverAPICalls = Set(ServerAPI.calls.map(RequestKind.serverAPI))
}
