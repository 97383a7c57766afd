import Foundation
import HTTPTransport
import StoreModel

/// The result of one `verifyReceipt` request, as needed to decide the next step.
enum ReplyReading: Hashable, Sendable {
  /// The store accepts the receipt.
  case verified(VerifiedAnswer)
  /// The receipt is from the other environment, and must be sent there.
  case belongs(to: StoreEnvironment)
  /// The store failed.
  ///
  /// - Parameters:
  ///   - finally: the result of the verification if retries do not help; nil for
  ///     ``ProofRefusal/storeUnavailable(retryAfterSeconds:)``.
  ///   - retryAfterSeconds: the store's `Retry-After`, if it sent one.
  case failed(finally: ProofRefusal? = nil, retryAfterSeconds: Int? = nil)
  case refused(ProofRefusal)
}

/// The interpretation of one reply: the next step, the report for the circuit breaker, and a message for the operator.
struct ReadReply: Hashable, Sendable {
  let reading: ReplyReading
  let report: CircuitBreaker.Report
  /// Describes an error for the operator; nil if there was none.
  let problem: String?

  private init(_ reading: ReplyReading, _ report: CircuitBreaker.Report = .works, problem: String? = nil) {
    self.reading = reading
    self.report = report
    self.problem = problem
  }

  /// Interprets a request without a response.
  init(_ failure: ReceiptServerFailure) {
    self.init(.failed(), .failed, problem: failure.description)
  }

  /// Interprets an HTTP response.
  ///
  /// - Parameters:
  ///   - reply: the response.
  ///   - kind: the kind of proof that was sent.
  ///   - isSignatureVerified: whether this server has verified the proof's signature.
  ///   - app: the expected app.
  ///   - otherApp: returns the app that the receipt names, if it is not `app`.
  ///   - endpoint: the environment to which the proof was sent.
  ///   - latest: the latest date that the answer may contain.
  init(
    _ reply: ReceiptServerReply, on kind: PurchaseProof.Kind, isSignatureVerified: Bool, of app: BundleID,
    otherApp: () -> BundleID?, at endpoint: StoreEnvironment, before latest: StoreDate
  ) {
    let status = "it answers with HTTP \(reply.httpStatus)."
    switch reply.httpStatus {
    case 200:
      do throws(AnswerFault) {
        self.init(try VerifyReceiptAnswer(reply.body), kind, isSignatureVerified, app, otherApp, endpoint, latest)
      } catch {
        // The response is not from a verifyReceipt endpoint. A proxy may have sent it.
        self.init(.failed(), .failed, problem: "\(error)")
      }
    case 408, 429, 500...599:
      let wait = RetryAfter.seconds(reply.retryAfter, date: reply.date)
      self.init(.failed(retryAfterSeconds: wait), .failed, problem: status)
    case 413:
      self.init(.refused(.unreadable(detail: "it is larger than the store reads (HTTP 413)")))
    default:
      let refusal = ProofRefusal.misconfigured(
        detail: "the \(endpoint.lowercaseName) URL answers with HTTP \(reply.httpStatus)")
      self.init(.refused(refusal), problem: status)
    }
  }

  private init(
    _ answer: VerifyReceiptAnswer, _ kind: PurchaseProof.Kind, _ isSignatureVerified: Bool, _ app: BundleID,
    _ otherApp: () -> BundleID?, _ endpoint: StoreEnvironment, _ latest: StoreDate
  ) {
    let status = "it answers with status \(answer.status)."
    switch StatusMeaning(
      answer.status, isRetryable: answer.isRetryable, on: kind, isSignatureVerified: isSignatureVerified,
      otherApp: otherApp, at: endpoint
    )
    {
    case .valid:
      // The oldest answers do not contain the environment. The environment of the endpoint is used then.
      if let environment = answer.environment, environment != endpoint.rawValue {
        let detail = "the \(endpoint.lowercaseName) URL answers for \(environment.prefix(80))"
        self.init(.refused(.misconfigured(detail: detail)), problem: detail + ".")
        return
      }
      do throws(AnswerFault) {
        let verified = try answer.verifiedAnswer(on: kind, of: app, from: endpoint)
        try verified.check(isBefore: latest)
        self.init(.verified(verified), problem: verified.unreadablePart)
      } catch {
        switch error {
        case .wrongApp(let detail): self.init(.refused(.wrongApp(detail: detail)))
        // The store's answer is wrong, but perhaps only for this receipt. So it is not a failure for the circuit
        // breaker.
        case .unreadable, .dateAhead: self.init(.failed(), problem: "\(error)")
        }
      }
    case .belongs(let environment): self.init(.belongs(to: environment))
    case .failed(let finally, let concernsStore):
      self.init(.failed(finally: finally), concernsStore ? .failed : .works, problem: status)
    case .refused(let refusal): self.init(.refused(refusal), problem: refusal.isTemporary ? status : nil)
    }
  }
}
