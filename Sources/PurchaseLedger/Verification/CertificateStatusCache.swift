import Foundation
import HTTPTransport
import SignedData
import StoreModel

/// Asks about the status of signers' certificates (OCSP), and caches the results. The App Store signs with few certificates.
struct CertificateStatusCache: Sendable {
  private struct Key: Hashable {
    let chain: [SHA256Fingerprint]
    let mode: CertificateStatusCheck.Mode
  }

  private struct Outcome: Sendable {
    let refusal: Result<Void, ProofRefusal>
    /// Whether the responders have answered.
    let isAnswered: Bool
  }

  private let clock: any MachineClock
  private let report: @Sendable (VerificationProblem) -> Void
  private let ask: CertificateStatusCheck.Ask
  private let results = RecentAnswers<Key, Result<Void, ProofRefusal>>()
  private let requests = SharedRequests<Key, Outcome>(limit: 64)

  /// How long a result is used, in seconds: of a certificate that is good or revoked, and of a check without an answer.
  private static let (resultSeconds, failureSeconds) = (900, 30)
  private static let longestAnswerBytes = 64 << 10

  /// - Parameters:
  ///   - transport: sends the requests.
  ///   - clock: the date of the machine, and the time for the cache.
  ///   - report: receives problems for the operator.
  init(
    transport: any HTTPSender, clock: any MachineClock, report: @escaping @Sendable (VerificationProblem) -> Void
  ) {
    self.clock = clock
    self.report = report
    ask = { request, responder in
      guard let url = URL(string: responder), url.scheme == "http" || url.scheme == "https" else {
        throw HTTPFailure.unreachable(reason: "\(responder.prefix(200)) is no address of an OCSP responder")
      }
      let reply = try await transport.reply(
        to: HTTPCall(
          "POST", url, fields: ["Content-Type": "application/ocsp-request", "Accept": "application/ocsp-response"],
          body: Data(request)), longestBodyBytes: Self.longestAnswerBytes)
      guard reply.status == 200 else { throw HTTPFailure.noAnswer(reason: "\(url): HTTP \(reply.status)") }
      return Array(reply.body)
    }
  }

  /// Checks the certificates of a signature whose chain was verified.
  ///
  /// - Parameter chain: leaf, intermediate and root, in DER.
  /// - Throws: ``ProofRefusal/forged(detail:)``, ``ProofRefusal/storeUnavailable(retryAfterSeconds:)``.
  func check(_ chain: [[UInt8]], _ mode: CertificateStatusCheck.Mode, of app: BundleID) async throws(ProofRefusal) {
    let key = Key(chain: chain.map { SHA256Fingerprint(of: $0) }, mode: mode)
    if let known = results.answer(to: key, at: clock.milliseconds) { return try known.get() }
    let result = await requests.answer(to: key) { await self.result(of: chain, mode, app) }
    guard let result else { throw .storeUnavailable(retryAfterSeconds: Self.failureSeconds) }
    results.remember(
      result.refusal, to: key, at: clock.milliseconds,
      seconds: result.isAnswered ? Self.resultSeconds : Self.failureSeconds)
    try result.refusal.get()
  }

  private func result(
    of chain: [[UInt8]], _ mode: CertificateStatusCheck.Mode, _ app: BundleID
  ) async -> Outcome {
    do throws(CertificateStatusFailure) {
      if let reason = try await CertificateStatusCheck(mode, ask: ask).check(chain, at: clock.now) {
        return unanswered(reason, app, .success(()))
      }
      return Outcome(refusal: .success(()), isAnswered: true)
    } catch {
      // Not only a revoked certificate fails a hard check, but also an answer that is out of date or not signed correctly.
      // Then the proof may still be genuine.
      if mode == .hard, case .refused(let reason) = error {
        guard await isRevoked(chain) else { return unanswered(reason, app, Self.later) }
      } else if case .unreachable(let reason) = error {
        return unanswered(reason, app, Self.later)
      }
      return Outcome(refusal: .failure(.forged(detail: "\(error)")), isAnswered: true)
    }
  }

  private func isRevoked(_ chain: [[UInt8]]) async -> Bool {
    do throws(CertificateStatusFailure) {
      try await CertificateStatusCheck(.soft, ask: ask).check(chain, at: clock.now)
      return false
    } catch {
      return true
    }
  }

  private func unanswered(_ reason: String, _ app: BundleID, _ refusal: Result<Void, ProofRefusal>) -> Outcome {
    report(VerificationProblem(app: app, api: .certificateStatus, url: nil, detail: reason))
    return Outcome(refusal: refusal, isAnswered: false)
  }

  private static let later = Result<Void, ProofRefusal>.failure(.storeUnavailable(retryAfterSeconds: failureSeconds))
}
