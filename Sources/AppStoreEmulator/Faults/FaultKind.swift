import StoreModel

/// A kind of fault. Its stored properties are its members in JSON.
public protocol FaultKind: Codable, Hashable, Sendable {
  /// The kind's name in JSON, such as `answerLost`.
  static var name: String { get }
  /// A description of its effect, in a few words.
  static var summary: String { get }
  /// The kinds of requests to which it can apply.
  static var possibleCalls: Set<RequestKind> { get }
  /// The kinds of requests to which it applies if the fault's scope has none.
  static var usualCalls: Set<RequestKind> { get }

  /// Its members in JSON, without those that every fault has.
  static var members: [FaultMember] { get }

  /// Its effect: what happens to a request. ``FaultedRequest`` has the parts of which an effect consists.
  ///
  /// An error of the request is delayed, lost or changed like an answer.
  func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer
  /// Describes, in a sentence, why its values are invalid; nil if they are valid.
  var problem: String? { get }
}

extension FaultKind {
  public static var usualCalls: Set<RequestKind> { possibleCalls }
  public static var members: [FaultMember] { [] }
  public var problem: String? { nil }
}

extension Set<RequestKind> {
  /// The calls of devices and backends. Notifications are calls of the store to other servers. Verifiers also ask for the status
  /// of certificates; a fault of the store does not apply to that, because Apple's OCSP responder is another service.
  static var callsOfTheStore: Set<RequestKind> { everything.subtracting([.certificateStatus, .notification]) }
  /// The calls of the store except a device's call that waits for changes. Such a call is almost always active, so the fault
  /// would apply to it instead of the intended request.
  static var everythingButChanges: Set<RequestKind> { callsOfTheStore.subtracting([.device(.changes)]) }
}

/// All kinds of faults. To add a kind, add its type to the file of the folder `Kinds` whose faults have a similar effect, and to
/// ``all``.
public enum FaultKinds {
  public static let all: [any FaultKind.Type] = [
    AppErrorFault.self, RefusedPasswordFault.self, DeclinedCardFault.self, RestrictedDeviceFault.self,
    NoAnswerFault.self, SlowAnswerFault.self, ConnectionResetFault.self, AnswerLostFault.self, OutageFault.self,
    HeldRequestFault.self, HeldAnswerFault.self, HeldSheetFault.self, ReceiptStatusFault.self,
    ReceiptServerErrorFault.self, TransactionNotFoundYetFault.self, ServerAPIErrorFault.self,
    ServerAPIFailureFault.self, RateLimitFault.self, TokenRefusedFault.self, AppNotReleasedFault.self,
    ExpiredCertificateFault.self, RotatedIntermediateFault.self, WrongSignatureFault.self, WrongDeviceFault.self,
    OCSPDownFault.self, OCSPRevokedFault.self, OCSPStaleFault.self, ClocksApartFault.self, NotificationLostFault.self,
    NotificationDoubledFault.self, NotificationLateFault.self, NotificationOutOfOrderFault.self,
    NotificationTruncatedFault.self,
  ]

  static func kind(named name: String) -> (any FaultKind.Type)? { all.first { $0.name == name } }
}
