import SignedData

/// The OCSP responder gives no usable answer, or says that it cannot.
public struct OCSPDownFault: FaultKind {
  public static let name = "ocspDown"
  public static let summary = "the status of the store's certificates cannot be asked"
  public static let possibleCalls: Set<RequestKind> = [.certificateStatus]
  public static let members = [
    FaultMember(
      "failure",
      .choice([
        .init("unavailable", "HTTP 503"), .init("unreachable", "no answer"), .init("tryLater", "OCSP status 3"),
        .init("internalError", "OCSP status 2"),
      ]),
      "How it fails", summary: "503, no answer at all, or an OCSP answer that is an error")
  ]

  /// How verifiers see it.
  public enum Failure: String, Hashable, Codable, Sendable, CaseIterable {
    /// HTTP 503.
    case unavailable
    /// The connection is reset.
    case unreachable
    /// An OCSP answer with the status tryLater.
    case tryLater
    /// An OCSP answer with the status internalError.
    case internalError
  }

  /// Nil means ``Failure/unavailable``.
  public let failure: Failure?

  public init(_ failure: Failure? = nil) { self.failure = failure }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    switch failure ?? .unavailable {
    case .unavailable: throw request.unavailable
    case .unreachable: throw request.unreachable
    case .tryLater: try await request.answer(with: OCSPAnswer.error(.tryLater, reason: Self.summary))
    case .internalError: try await request.answer(with: OCSPAnswer.error(.internalError, reason: Self.summary))
    }
  }
}

/// The OCSP responder says that a certificate of the store is revoked. Verifiers must refuse everything that is signed with it,
/// also what was signed before.
public struct OCSPRevokedFault: FaultKind {
  public static let name = "ocspRevoked"
  public static let summary = "a certificate of the store counts as revoked"
  public static let possibleCalls: Set<RequestKind> = [.certificateStatus]
  public static let members = [
    FaultMember(
      "certificate", .choice([.init("leaf", "the leaf, which signs"), .init("intermediate", "the intermediate")]),
      "Which certificate", summary: "the leaf or the intermediate")
  ]

  /// A certificate of a chain.
  public enum Certificate: String, Hashable, Codable, Sendable, CaseIterable {
    case leaf, intermediate
  }

  /// Nil means ``Certificate/leaf``.
  public let certificate: Certificate?

  public init(_ certificate: Certificate? = nil) { self.certificate = certificate }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer { (answer: inout OCSPAnswer) in
      guard case .statuses(var statuses) = answer else { return }
      statuses.revoke(certificate == .intermediate ? .intermediate : .leaf)
      answer = .statuses(statuses)
    }
  }
}

/// The OCSP responder's answers are out of date: they were to be replaced a day ago.
public struct OCSPStaleFault: FaultKind {
  public static let name = "ocspStale"
  public static let summary = "the status of the store's certificates is a day out of date"
  public static let possibleCalls: Set<RequestKind> = [.certificateStatus]

  public init() {}

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer { (answer: inout OCSPAnswer) in
      guard case .statuses(var statuses) = answer else { return }
      // More than the hour for which an answer is valid, and than the errors of clocks that verifiers allow.
      statuses.age(seconds: 25 * 3_600)
      answer = .statuses(statuses)
    }
  }
}

/// The clocks of the store and of the developer's server are apart. The App Store Server API compares the dates of tokens with a
/// clock that is ahead or behind, and OCSP answers have its dates.
public struct ClocksApartFault: FaultKind {
  public static let name = "clocksApart"
  public static let summary = "the dates of tokens and of OCSP answers are those of a clock that is ahead or behind"
  public static let possibleCalls = Set<RequestKind>.serverAPICalls.union([.certificateStatus])
  public static let members = [
    FaultMember(
      "aheadMilliseconds", .integer(range), "How far ahead, in milliseconds",
      summary: "how far that clock is ahead; behind, if it is negative", example: "600000", isRequired: true)
  ]

  private static let range: ClosedRange<Int64> = -86_400_000...86_400_000

  /// Milliseconds by which the clock is ahead, at most a day; negative if it is behind.
  public let aheadMilliseconds: Int64

  public init(aheadMilliseconds: Int64) { self.aheadMilliseconds = aheadMilliseconds }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer(withClockAhead: aheadMilliseconds)
  }

  public var problem: String? {
    Self.range.contains(aheadMilliseconds) && aheadMilliseconds != 0
      ? nil : "aheadMilliseconds is a number from -86400000 to 86400000, except 0; it is \(aheadMilliseconds)."
  }
}
