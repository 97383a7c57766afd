import Foundation
import HTTPTransport
import StoreModel

/// What a client does after a request: the result, whether a retry may help, and the report for the circuit breaker.
struct ServerAPIReading<Answer: Sendable>: Sendable {
  enum Result: Sendable {
    case answer(Answer)
    case failure(ServerAPIClientError)
  }

  let result: Result
  var mayRetry = false
  /// The `Retry-After` of the answer, in seconds; nil if it has none.
  var waitSeconds: Int?
  var report = CircuitBreaker.Report.works

  /// Reads a request without an answer.
  ///
  /// A call is repeated if the store cannot have received it, or if repeating it has no other effect.
  init(_ failure: HTTPFailure, of endpoint: ServerAPIEndpoint) {
    result = .failure(.noAnswer(failure))
    report = .failed
    switch failure {
    case .unreachable: mayRetry = true
    case .noAnswer: mayRetry = endpoint.isIdempotent
    case .unintelligible: break
    }
  }

  /// Reads an answer.
  ///
  /// - Parameter now: the date of this machine, for a `Retry-After` in an answer without `Date`.
  init<Call: ServerAPICall>(_ reply: HTTPReply, to call: Call.Type, now: StoreDate) where Call.Answer == Answer {
    if 200..<300 ~= reply.status {
      result = Self.success(reply, call)
      return
    }
    // A body that is no JSON, or no error of the Server API, is tolerated: the status remains.
    guard let error = try? BoundedJSON.decode(ServerAPIError.self, from: reply.body) else {
      let detail = Self.excerpt(reply.body)
      result = .failure(
        reply.status == 401 ? .unauthorized(detail: detail) : .unexpectedStatus(reply.status, detail: detail))
      mayRetry = (502...504).contains(reply.status) && call.endpoint.isIdempotent
      if reply.status == 429 { takeLimit(reply, now) }
      if reply.status >= 500 { report = .failed }
      return
    }
    result = .failure(reply.status == 401 ? .unauthorized(detail: "\(error)") : .refused(error))
    mayRetry = error.isRetryable
    if reply.status == 429 || error.code == .rateLimitExceeded { takeLimit(reply, now) }
    if error.httpStatus >= 500 { report = .failed }
  }

  /// A limit is in the way of any call, and no call was made.
  private mutating func takeLimit(_ reply: HTTPReply, _ now: StoreDate) {
    mayRetry = true
    waitSeconds = RetryAfter.seconds(reply.head["Retry-After"], date: reply.head["Date"], now: now)
  }

  private static func success<Call: ServerAPICall>(
    _ reply: HTTPReply, _ call: Call.Type
  ) -> Result where Call.Answer == Answer {
    if let empty = EmptyAnswer() as? Answer { return .answer(empty) }
    do {
      return .answer(try BoundedJSON.decode(Answer.self, from: reply.body, within: .file))
    } catch {
      return .failure(.unreadableAnswer(detail: "\(error)"))
    }
  }

  /// The start of a body that is shown in an error.
  private static func excerpt(_ body: Data) -> String {
    body.isEmpty ? "(no body)" : JSONText.string(String(decoding: body.prefix(200), as: UTF8.self))
  }
}
