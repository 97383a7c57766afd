import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Asking for the status of certificates", .timeLimit(.minutes(30)))
struct CertificateStatusCheckTests {
  private let now = StoreDate(Date())
  private static let address = "http://127.0.0.1:8080/ocsp"

  private var authority: IssuingAuthority {
    let now = now
    return IssuingAuthority.shared.issuing {
      IssuingContext(wallDate: now, ocspResponder: URL(string: Self.address))
    }
  }

  private func chain(_ authority: IssuingAuthority) throws -> [[UInt8]] {
    [
      try authority.jwsSigner(at: now).leaf.der, try authority.jwsIntermediateCertificate,
      try authority.jwsRootCertificate,
    ]
  }

  /// The outcome of a check whose responder changes its answers.
  private func outcome(
    _ mode: CertificateStatusCheck.Mode,
    _ change: @escaping @Sendable (inout OCSPAnswer) throws -> Void
  ) async throws -> CertificateStatusFailure? {
    let (now, authority) = (now, authority)
    let asked = LockedValue<[String]>([])
    let check = CertificateStatusCheck(mode) { request, address in
      asked.withLock { $0.append(address) }
      var answer = try authority.statuses(try OCSPRequest(request), at: now)
      try change(&answer)
      return try authority.response(answer, at: now)
    }
    do {
      try await check.check(try chain(authority), at: now)
    } catch let failure as CertificateStatusFailure {
      return failure
    }
    #expect(asked.value == [Self.address, Self.address])
    return nil
  }

  @Test(
    "good certificates pass; the leaf and the intermediate are asked about",
    arguments: CertificateStatusCheck.Mode.allCases)
  func good(mode: CertificateStatusCheck.Mode) async throws {
    #expect(try await outcome(mode) { _ in } == nil)
  }

  @Test("revoked certificates are refused, also by a soft check", arguments: CertificateStatusCheck.Mode.allCases)
  func revoked(mode: CertificateStatusCheck.Mode) async throws {
    for kind in [CertificateStatus.Kind.leaf, .intermediate] {
      let failure = try await outcome(mode) { answer in
        guard case .statuses(var statuses) = answer else { return }
        statuses.revoke(kind)
        answer = .statuses(statuses)
      }
      guard case .refused = failure else {
        Issue.record("\(kind): \(String(describing: failure))")
        continue
      }
    }
  }

  @Test("an answer that is out of date, or an error, fails a hard check only")
  func unusable() async throws {
    let changes: [@Sendable (inout OCSPAnswer) throws -> Void] = [
      { answer in
        guard case .statuses(var statuses) = answer else { return }
        statuses.age(seconds: 90_000)
        answer = .statuses(statuses)
      },
      { $0 = .error(.tryLater, reason: "") },
    ]
    for change in changes {
      guard case .refused = try await outcome(.hard, change) else {
        Issue.record("it was accepted")
        continue
      }
      #expect(try await outcome(.soft, change) == nil)
    }
  }

  @Test("a responder that cannot be reached fails a hard check, which can be repeated")
  func unreachable() async throws {
    let change: @Sendable (inout OCSPAnswer) throws -> Void = { _ in throw OCSPFault("no route") }
    #expect(try await outcome(.hard, change) == .unreachable(reason: "no route"))
    #expect(try await outcome(.soft, change) == nil)
    let soft = CertificateStatusCheck(.soft) { _, _ in throw OCSPFault("no route") }
    #expect(try await soft.check(try chain(authority), at: now) == "no route")
  }

  @Test("an answer that another authority has signed is worth nothing")
  func otherSigner() async throws {
    let (now, other) = (now, IssuingAuthority())
    try other.prepare(at: now)
    let check = CertificateStatusCheck(.hard) { [authority] request, _ in
      try other.response(try authority.statuses(try OCSPRequest(request), at: now), at: now)
    }
    await #expect(throws: CertificateStatusFailure.self) { try await check.check(try chain(authority), at: now) }
  }

  @Test("certificates without an address fail a hard check only, and nothing is asked")
  func withoutAddress() async throws {
    let chain = try chain(IssuingAuthority.shared)
    for mode in CertificateStatusCheck.Mode.allCases {
      let check = CertificateStatusCheck(mode) { _, address in throw OCSPFault("asked \(address)") }
      var failure: CertificateStatusFailure?
      do { try await check.check(chain, at: now) } catch let error { failure = error }
      let reason = "the leaf certificate has no address of an OCSP responder"
      #expect(failure == (mode == .hard ? .refused(reason: reason) : nil))
    }
  }

  @Test("a chain that is not one is refused")
  func noChain() async throws {
    let check = CertificateStatusCheck(.soft) { _, _ in [] }
    await #expect(throws: CertificateStatusFailure.self) { try await check.check([], at: now) }
    let leaf = try chain(authority)[0]
    await #expect(throws: CertificateStatusFailure.self) { try await check.check([leaf, leaf, leaf], at: now) }
  }
}
