import Crypto
import Foundation
import HTTPTransport
import SignedData
import StoreModel

/// Sends receipts to a store's `verifyReceipt` endpoint (Apple's "Validating receipts with the App Store").
struct VerifyReceiptClient: Sendable {
  private let server: any ReceiptServer
  private let clock: any MachineClock
  private let chance: @Sendable (ClosedRange<Int64>) -> Int64
  private let report: @Sendable (VerificationProblem) -> Void
  private let breakers = EndpointBreakers()
  private let recent = RecentAnswers<RequestKey, VerifiedAnswer>()
  private let sharedRequests: SharedRequests<RequestKey, Result<VerifiedAnswer, ProofRefusal>>

  /// Identifies a request. Simultaneous requests about the same receipt are sent only once.
  private struct RequestKey: Hashable {
    /// SHA-256 of the receipt. The receipt itself is not kept in the cache of answers.
    let receipt: SHA256Digest
    let kind: PurchaseProof.Kind
    let app: BundleID
  }

  /// - Parameters:
  ///   - clock: limits the dates of answers, and measures pauses, timeouts and breakers.
  ///   - chance: returns a random number of the range, for pauses.
  ///   - limit: the maximum number of receipts that the store is asked about at once.
  ///   - report: receives problems for the operator.
  init(
    server: any ReceiptServer, clock: any MachineClock,
    chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64, limit: Int,
    report: @escaping @Sendable (VerificationProblem) -> Void
  ) {
    self.server = server
    self.clock = clock
    self.chance = chance
    self.report = report
    sharedRequests = SharedRequests(limit: limit)
  }

  /// Returns the store's answer about a receipt.
  ///
  /// - Parameters:
  ///   - receipt: the receipt's bytes, not in base64.
  ///   - kind: the kind of proof.
  ///   - isSignatureVerified: whether this server has verified the receipt's signature.
  ///   - retryPermission: called before each retry.
  /// - Throws: ``ProofRefusal``.
  func answer(
    on receipt: Data, of kind: PurchaseProof.Kind, isSignatureVerified: Bool, by policy: VerificationPolicy,
    _ asking: VerifyReceiptPolicy, retryPermission: @escaping ProofVerifier.RetryPermission
  ) async throws(ProofRefusal) -> VerifiedAnswer {
    let key = requestKey(for: receipt, kind, policy.bundleID)
    if let known = recent.answer(to: key, at: clock.milliseconds) { return known }
    let result = await sharedRequests.answer(to: key) {
      await requestVerification(receipt, kind, isSignatureVerified, policy, asking, retryPermission)
    }
    guard let result else { throw .storeUnavailable(retryAfterSeconds: asking.retryAfterSeconds) }
    let answer = try result.get()
    recent.remember(answer, to: key, at: clock.milliseconds, seconds: asking.reuseSeconds)
    return answer
  }

  /// Whether the store's answer about a receipt is in the cache.
  func knows(_ receipt: Data, of kind: PurchaseProof.Kind, for app: BundleID) -> Bool {
    recent.answer(to: requestKey(for: receipt, kind, app), at: clock.milliseconds) != nil
  }

  private func requestKey(for receipt: Data, _ kind: PurchaseProof.Kind, _ app: BundleID) -> RequestKey {
    RequestKey(receipt: SHA256.hash(data: receipt), kind: kind, app: app)
  }

  /// The number of callers that wait for the store.
  var waiting: Int { get async { await sharedRequests.waiting } }

  private func requestVerification(
    _ receipt: Data, _ kind: PurchaseProof.Kind, _ isSignatureVerified: Bool, _ policy: VerificationPolicy,
    _ asking: VerifyReceiptPolicy, _ retryPermission: ProofVerifier.RetryPermission
  ) async -> Result<VerifiedAnswer, ProofRefusal> {
    let body = Self.request(receipt, asking.sharedSecret)
    var attempt = VerificationAttempt(asking, accepting: policy.environments, now: clock.milliseconds)
    while let timeoutMilliseconds = attempt.timeoutMilliseconds(at: clock.milliseconds) {
      let endpoint = attempt.endpoint
      let url = asking.url(of: endpoint)
      switch await breakers.admit(to: url, at: clock.milliseconds, timeoutMilliseconds: timeoutMilliseconds) {
      case .refused(let milliseconds):
        return .failure(.storeUnavailable(retryAfterSeconds: max(1, Int((milliseconds + 999) / 1_000))))
      case .admitted(let pass):
        let reply = await read(url, body, timeoutMilliseconds) {
          ReadReply(
            $0, on: kind, isSignatureVerified: isSignatureVerified, of: policy.bundleID,
            otherApp: { Self.otherApp(than: policy.bundleID, in: receipt, of: kind) }, at: endpoint,
            before: clock.now.adding(seconds: asking.secondsAhead))
        }
        if let problem = reply.problem {
          report(VerificationProblem(app: policy.bundleID, url: url, detail: problem))
        }
        let now = clock.milliseconds
        let step = attempt.next(after: reply.reading, now: now, chance: chance)
        await breakers.settle(pass, reply.report(before: step), at: url, now: now, asking.breaker)
        switch step {
        case .end(let result): return result
        case .otherEndpoint: break
        case .retry(let pause):
          if let seconds = await retryPermission() {
            return .failure(.storeUnavailable(retryAfterSeconds: max(asking.retryAfterSeconds, seconds)))
          }
          // If the task is cancelled, the sleep ends early. The remaining time is computed again before the next request.
          try? await clock.sleep(for: .milliseconds(pause))
        }
      }
    }
    return .failure(attempt.unavailable)
  }

  private func read(
    _ url: URL, _ body: Data, _ timeoutMilliseconds: Int64, _ read: (ReceiptServerReply) -> ReadReply
  ) async -> ReadReply {
    do throws(ReceiptServerFailure) {
      return read(try await server.post(body, to: url, timeoutMilliseconds: timeoutMilliseconds))
    } catch {
      return ReadReply(error)
    }
  }

  /// Returns the app that a receipt names, without verifying the receipt's signature. Nil if it is the expected app, or if the
  /// receipt cannot be read.
  private static func otherApp(than expected: BundleID, in receipt: Data, of kind: PurchaseProof.Kind) -> BundleID? {
    let app =
      switch kind {
      case .appReceipt: try? UnverifiedAppReceipt(receipt).receipt.bundleID
      case .legacyReceipt: try? UnverifiedLegacyReceipt(receipt).receipt.bundleID
      case .signedTransaction, .transactionID: nil as BundleID?
      }
    return app == expected ? nil : app
  }

  /// Returns Apple's "requestBody". It requests all transactions of subscriptions, because old periods may have been refunded.
  private static func request(_ receipt: Data, _ secret: SharedSecret?) -> Data {
    // Base64 and shared secrets contain no characters that JSON has to escape.
    let password = secret.map { #","password":"\#($0.text)""# } ?? ""
    return Data(#"{"receipt-data":"\#(receipt.base64EncodedString())"\#(password)}"#.utf8)
  }
}

extension ReadReply {
  /// Returns the report for the circuit breaker. If the store sent `Retry-After` and the verification ends without waiting for
  /// it, the breaker opens for that time.
  fileprivate func report(before step: VerificationAttempt.Step) -> CircuitBreaker.Report {
    guard case .failed(_, let wait?) = reading, wait > 0, case .end = step else { return report }
    return .pauseRequested(milliseconds: Int64(wait) * 1_000)
  }
}
