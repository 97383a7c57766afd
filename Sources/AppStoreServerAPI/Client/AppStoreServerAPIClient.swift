import Foundation
import HTTPTransport
import SignedData
import StoreModel

/// A client of the App Store Server API, of Apple's or of an emulator.
///
/// ```swift
/// let client = AppStoreServerAPIClient(
///   AppStoreServerAPIConfiguration(
///     bundleID: "com.example.game",
///     key: try ServerAPIKey(keyID: "2X9R4HXF34", issuerID: issuerID, pem: privateKey),
///     environments: .productionThenSandbox))
/// let transaction = try await client.transaction(id)
/// for try await page in client.transactionHistory(of: id) { … }
/// try await client.send(FinishTransaction(transactionId: id))
/// ```
///
/// ``send(_:)`` sends any ``ServerAPICall``. The functions for calls with signed data verify it. Use one client for all
/// calls of an app, because it keeps the token and the state of the endpoints.
public struct AppStoreServerAPIClient: Sendable {
  public let configuration: AppStoreServerAPIConfiguration
  let verifier: SignedDataVerifier
  private let transport: any HTTPSender
  private let clock: any MachineClock
  private let chance: @Sendable (ClosedRange<Int64>) -> Int64
  private let tokens: ServerAPITokenSource
  private let breakers = EndpointBreakers()
  private var limits = Limits()

  /// Returns nil if a call may be repeated, otherwise the seconds to wait.
  public typealias RetryPermission = @Sendable () async -> Int?

  /// What further limits the calls of a copy of the client.
  private struct Limits: Sendable {
    /// The end of the last call, by the monotonic clock; nil for the configuration's timeout.
    var deadlineMilliseconds: Int64?
    var retryPermission: RetryPermission?
  }

  /// - Parameters:
  ///   - transport: sends the requests; nil for the system's, with the configuration's timeout.
  ///   - clock: the date for tokens, and the time for pauses.
  ///   - chance: returns a random number of the range, for pauses.
  public init(
    _ configuration: AppStoreServerAPIConfiguration, transport: (any HTTPSender)? = nil,
    clock: any MachineClock = SystemClock(),
    chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
  ) {
    self.configuration = configuration
    verifier = SignedDataVerifier(anchors: configuration.anchors)
    self.transport = transport ?? SystemTransport(timeoutSeconds: Double(configuration.answerTimeoutSeconds))
    self.clock = clock
    self.chance = chance
    tokens = ServerAPITokenSource(
      key: configuration.key, bundleID: configuration.bundleID, lifetimeSeconds: configuration.tokenLifetimeSeconds)
  }

  /// Returns a copy of the client for several calls that belong together. It has the token and the state of the endpoints
  /// in common with this client.
  ///
  /// - Parameters:
  ///   - totalTimeoutSeconds: how long all calls of the copy may take together, from now on. Later calls throw
  ///     ``ServerAPIClientError/paused(retryAfterSeconds:)``.
  ///   - retryPermission: called before each retry.
  public func limited(
    totalTimeoutSeconds: Int, retryPermission: @escaping RetryPermission = { nil }
  ) -> AppStoreServerAPIClient {
    var client = self
    client.limits = Limits(
      deadlineMilliseconds: clock.milliseconds + Int64(totalTimeoutSeconds) * 1_000, retryPermission: retryPermission)
    return client
  }

  /// Sends a call, and returns its answer. Signed data in it is not verified.
  ///
  /// A call is repeated after an error that Apple calls retryable, after the wait of a limit, and if a connection fails
  /// and repeating the call has no other effect.
  ///
  /// - Throws: ``ServerAPIClientError``; `CancellationError`.
  @discardableResult
  public func send<Call: ServerAPICall>(_ call: Call) async throws -> Call.Answer {
    try await answer(to: call).answer
  }

  /// Sends a call to one environment, as ``send(_:)`` does.
  ///
  /// - Throws: ``ServerAPIClientError``; `CancellationError`.
  @discardableResult
  public func send<Call: ServerAPICall>(_ call: Call, in environment: StoreEnvironment) async throws -> Call.Answer {
    try await answer(to: call, in: environment).answer
  }

  /// Sends a call to the configured environments.
  ///
  /// - Parameter environment: the only environment that is asked; nil for the configured ones.
  func answer<Call: ServerAPICall>(
    to call: Call, in environment: StoreEnvironment? = nil
  ) async throws -> (answer: Call.Answer, environment: StoreEnvironment) {
    if let environment { return (try await answer(to: call, at: environment), environment) }
    switch configuration.environments {
    case .production: return (try await answer(to: call, at: .production), .production)
    case .sandbox: return (try await answer(to: call, at: .sandbox), .sandbox)
    case .productionThenSandbox:
      do {
        return (try await answer(to: call, at: .production), .production)
      } catch let error as ServerAPIClientError where error.code == .transactionIdNotFound {
        return (try await answer(to: call, at: .sandbox), .sandbox)
      } catch ServerAPIClientError.unauthorized(let detail) where Call.endpoint.isAboutTransaction {
        // Production refuses all calls about an app that was never released. All its purchases are in the sandbox.
        do {
          return (try await answer(to: call, at: .sandbox), .sandbox)
        } catch let error as ServerAPIClientError where error.code == .transactionIdNotFound {
          throw ServerAPIClientError.unauthorizedInProduction(detail: detail)
        }
      }
    }
  }

  private func answer<Call: ServerAPICall>(to call: Call, at environment: StoreEnvironment) async throws -> Call.Answer
  {
    let base = configuration.baseURL(of: environment)
    let message = try message(of: call, to: base)
    // Limits and failures concern one endpoint of one environment.
    let endpoint = base.appending(path: Call.endpoint.path)
    var budget = RetryBudget(
      retries: configuration.retries, pauses: configuration.pauses,
      answerTimeoutSeconds: configuration.answerTimeoutSeconds,
      totalTimeoutSeconds: configuration.totalTimeoutSeconds, now: clock.milliseconds,
      deadline: limits.deadlineMilliseconds)
    var failure: ServerAPIClientError?
    while let timeout = budget.timeoutMilliseconds(at: clock.milliseconds) {
      switch await breakers.admit(to: endpoint, at: clock.milliseconds, timeoutMilliseconds: timeout) {
      case .refused(let milliseconds): throw ServerAPIClientError.paused(retryAfterSeconds: seconds(milliseconds))
      case .admitted(let pass):
        let reading = try await reading(of: message, to: Call.self)
        let now = clock.milliseconds
        let next =
          reading.mayRetry
          ? budget.next(waitMilliseconds: Int64(reading.waitSeconds ?? 0) * 1_000, now: now, chance: chance)
          : .noRetryLeft
        await breakers.settle(pass, reading.report(before: next), at: endpoint, now: now, configuration.breaker)
        switch (reading.result, next) {
        case (.answer(let answer), _): return answer
        case (.failure(let error), .retry(let milliseconds)):
          failure = error
          if let seconds = await limits.retryPermission?() {
            throw ServerAPIClientError.paused(retryAfterSeconds: seconds)
          }
          try await clock.sleep(for: .milliseconds(milliseconds))
        case (.failure(let error), _): throw error
        }
      }
    }
    // The pause took longer than planned, or earlier calls took the time of the client's copy.
    throw failure ?? .paused(retryAfterSeconds: 1)
  }

  private func seconds(_ milliseconds: Int64) -> Int { max(1, Int((milliseconds + 999) / 1_000)) }

  /// The request without its token.
  private func message<Call: ServerAPICall>(of call: Call, to base: URL) throws -> HTTPCall {
    let endpoint = Call.endpoint
    let request: ServerAPIRequest
    do {
      request = try call.request()
    } catch {
      throw ServerAPIClientError.unusableCall(detail: "\(error)")
    }
    let text = base.absoluteString
    guard
      let url = URL(string: "\(text.hasSuffix("/") ? String(text.dropLast()) : text)/\(request.target(of: endpoint))")
    else { throw ServerAPIClientError.unusableCall(detail: "its URL is not valid") }
    var fields = ["Accept": "application/json", "User-Agent": "OpenStoreKit"]
    if !request.body.isEmpty { fields["Content-Type"] = "application/json" }
    return HTTPCall(
      endpoint.method.rawValue, url, fields: fields, body: endpoint.method == .get ? nil : request.body)
  }

  private func reading<Call: ServerAPICall>(
    of message: HTTPCall, to call: Call.Type
  ) async throws -> ServerAPIReading<Call.Answer> {
    let token: String
    do {
      token = try tokens.token(at: clock.now)
    } catch {
      throw ServerAPIClientError.unusableCall(detail: "its token cannot be signed: \(error)")
    }
    var message = message
    message.fields["Authorization"] = "Bearer \(token)"
    do {
      let reply = try await transport.reply(to: message, longestBodyBytes: configuration.longestAnswerBytes)
      if reply.status == 401 { tokens.discard(token) }
      return ServerAPIReading(reply, to: call, now: clock.now)
    } catch let error where !(error is CancellationError) {
      return ServerAPIReading(error as? HTTPFailure ?? .noAnswer(reason: "\(error)"), of: call.endpoint)
    }
  }
}

extension ServerAPIReading {
  /// The report for the circuit breaker. If the store asked for a wait, and the call ends without waiting, the breaker
  /// opens for that time.
  func report(before next: RetryBudget.Next) -> CircuitBreaker.Report {
    if case .retry = next { return report }
    guard let waitSeconds, waitSeconds > 0 else { return report }
    return .pauseRequested(milliseconds: Int64(waitSeconds) * 1_000)
  }
}
