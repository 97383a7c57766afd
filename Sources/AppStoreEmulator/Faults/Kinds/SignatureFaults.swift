import AppStoreServerAPI
import SignedData

/// The store signs transactions and receipts with a certificate that is not valid at the date of signing. Everything
/// else about the signatures is right, so a verifier must refuse them because of that date.
public struct ExpiredCertificateFault: FaultKind {
  public static let name = "expiredCertificate"
  public static let summary = "transactions and receipts are signed with an expired certificate"
  public static let possibleCalls = Set<RequestKind>.signingCalls
  public static let members = [
    FaultMember(
      "when", .choice([.init("expired", "it has expired"), .init("notYetValid", "it is not valid yet")]),
      "What is wrong with the certificate", summary: "whether it has expired or is not valid yet")
  ]

  /// The dates of the certificate.
  public enum When: String, Hashable, Codable, Sendable, CaseIterable {
    case expired, notYetValid
  }

  /// Nil means ``When/expired``.
  public let when: When?

  public init(_ when: When? = nil) { self.when = when }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer(signedWith: when == .notYetValid ? .notYetValid : .expired)
  }
}

/// The store signs transactions and app receipts with certificates of another intermediate, under the same root, as after Apple
/// has replaced its intermediate. Verifiers must accept them.
public struct RotatedIntermediateFault: FaultKind {
  public static let name = "rotatedIntermediate"
  public static let summary = "transactions and app receipts are signed under another intermediate certificate"
  public static let possibleCalls = Set<RequestKind>.signingCalls

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer(signedWith: .rotatedIntermediate)
  }
}

/// The signatures of transactions and receipts are wrong: they are of other bytes, although the certificates are valid. Verifiers
/// must refuse them.
public struct WrongSignatureFault: FaultKind {
  public static let name = "wrongSignature"
  public static let summary = "the signatures of transactions and receipts are wrong"
  public static let possibleCalls = Set<RequestKind>.signingCalls

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer(signedWith: .wrongSignature)
  }
}

/// The device proofs of what a device receives (`deviceVerification`) are of another device. Signatures and certificates are
/// valid. Devices must refuse it.
public struct WrongDeviceFault: FaultKind {
  public static let name = "wrongDevice"
  public static let summary = "the device proof of transactions is of another device"
  public static let possibleCalls: Set<RequestKind> = [
    .device(.confirm), .device(.unfinished), .device(.restore), .device(.transactions), .device(.appTransaction),
  ]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answerForAnotherDevice()
  }
}

extension Set<RequestKind> {
  /// The calls whose answers contain transactions or receipts.
  static let signingCalls = Set(
    [
      .device(.confirm), .device(.unfinished), .device(.restore), .device(.refreshReceipt), .device(.transactions),
      .device(.appTransaction), .verifyReceipt,
    ]
  )
  .union(ServerAPI.calls.filter { $0.hasAnswer }.map(RequestKind.serverAPI))
  .subtracting(unsignedAnswers)

  /// The calls of the Server API whose answers contain nothing signed, or only notifications, each of which is signed once.
  private static let unsignedAnswers = Set(
    [
      ExtendSubscriptionRenewalDate.self, ExtendRenewalDatesForAllActiveSubscribers.self,
      GetStatusOfRenewalDateExtensions.self, GetNotificationHistory.self, RequestTestNotification.self,
      GetTestNotificationStatus.self,
    ].map(RequestKind.serverAPI))
}
