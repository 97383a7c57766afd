import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PurchaseLedger
import StoreModel
import WebSupport

/// Handles every request before its endpoint does: limits, request ids, metrics, logs, and error responses.
struct ServiceResponder: HTTPResponder {
  typealias Context = ServiceContext

  let router: RouterResponder<ServiceContext>
  /// Answers requests to the operator's pages; returns nil for other requests.
  let page: @Sendable (Request, ServiceContext) async throws -> Response?
  /// The path of uploads, which may take longer than other requests.
  let uploadPath: String
  let limits: ServiceLimits
  let trustedProxies: [NetworkRange]
  let rates: CallerRates
  let notificationAllowance: NotificationAllowance
  let presence: RequestPresence
  let metrics: ServiceMetrics
  let clock: any MachineClock
  let makeRequestID: @Sendable () -> String
  /// The server's logger. Hummingbird's logger of a request would add a second request id.
  let logger: Logger

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    let began = clock.nanoseconds
    let refusal = Self.textRefusal(request)
    let headers = refusal == nil ? request.headers : [:]
    let id = headers[.requestID].flatMap(Self.plain) ?? makeRequestID()
    var logger = logger
    logger[metadataKey: "request"] = "\(id)"
    var context = ServiceContext(source: .init(channel: context.channel, logger: logger))
    context.caller = CallerAddress(
      peer: context.channel.remoteAddress?.ipAddress, headers, trusted: trustedProxies)
    var response = if let refusal { refusal.response } else { await admitted(request, context) }
    response.headers[.requestID] = id
    // Not every handler removes the body of a response to HEAD. The client would take it for the next response.
    if request.method == .head {
      let length = response.headers[.contentLength]
      response = response.createHeadResponse()
      // The length of the response to GET is kept, not that of the empty body.
      response.headers[.contentLength] = length
    }
    let nanoseconds = clock.nanoseconds - began
    let (method, route) = (Self.label(request.method), context.endpointPath ?? "NotFound")
    metrics.countRequest(method: method, route: route, status: response.status.code, nanoseconds: nanoseconds)
    context.logger.info(
      "A request was answered",
      metadata: [
        "method": "\(method)", "route": "\(route)", "status": .stringConvertible(response.status.code),
        "milliseconds": .stringConvertible(nanoseconds / 1_000_000),
      ])
    return response
  }

  /// Returns a refusal if the request line or a header field contains text that is not allowed. This check runs first,
  /// because comparing unchecked text could take more than linear time.
  private static func textRefusal(_ request: Request) -> ErrorResponse? {
    do throws(ErrorResponse) {
      try request.checkText()
      return nil
    } catch {
      return error
    }
  }

  private func admitted(_ request: Request, _ context: ServiceContext) async -> Response {
    if request.headers.reduce(0, { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }) > limits.headerLimitBytes {
      return ErrorResponse(
        .requestHeaderFieldsTooLarge, "headersTooLarge",
        "The header fields have more than \(limits.headerLimitBytes) bytes."
      ).response
    }
    let isProbe = Self.isProbe(request)
    if isProbe {
      if let seconds = rates.admitProbe(from: context.caller) { return Self.tooMany(seconds) }
      return await inTime(request, context, nil)
    }
    switch await admission(of: request, context) {
    case .refused(let seconds): return Self.tooMany(seconds)
    case .admitted(let caller):
      do {
        let permit = try await enter(caller, request, context)
        defer { permit.leave() }
        return await inTime(request, context, permit)
      } catch {
        return error.errorResponse.response
      }
    }
  }

  /// Notifications of the App Store have a limit of their own, which only useless ones use up.
  private func admission(of request: Request, _ context: ServiceContext) async -> CallerRates.Admission {
    guard Self.isNotification(request) else {
      return await rates.admit(token: request.bearerToken, from: context.caller, cost: Self.cost(of: request))
    }
    return notificationAllowance.admit(from: context.caller).map(CallerRates.Admission.refused)
      ?? .admitted(caller: "notifications \(context.caller.key)")
  }

  private static func tooMany(_ seconds: Int) -> Response {
    ErrorResponse(
      .tooManyRequests, "tooManyRequests", "That is more than one caller may ask. Wait \(seconds) s.",
      headers: [.retryAfter: String(seconds)]
    ).response
  }

  /// Counts a request. If its address has used up its share, perhaps for other callers, a request with a valid token counts
  /// for the holder of the token.
  private func enter(
    _ caller: String, _ request: Request, _ context: ServiceContext
  ) async throws(RequestPresence.Refusal) -> RequestPresence.Permit {
    do {
      return try presence.enter(caller)
    } catch .shareIsUsed {
      guard let holder = await rates.holder(of: request.bearerToken, from: context.caller), holder != caller else {
        throw .shareIsUsed
      }
      return try presence.enter(holder)
    }
  }

  private enum Step {
    case answered(Response)
    case timeIsUp
    case abandoned
    case cancelled
  }

  /// Cancels a request that takes too long, for example because its body never ends, or whose client has closed the connection.
  /// The request ends at the next statement of its transaction, or completes a commit that has begun. Only then the response is
  /// sent. If the client repeats the request, it receives the committed results.
  ///
  /// - Parameter permit: the request's place; nil for a probe.
  private func inTime(
    _ request: Request, _ context: ServiceContext, _ permit: RequestPresence.Permit?
  ) async -> Response {
    let request = request.markingBodyFailures(on: context.channel)
    // The duration of an upload is not limited. If the upload stalls, the idle timeout closes its connection.
    guard request.uri.path != uploadPath else { return await answered(request, context) }
    return await withTaskGroup(of: Step.self) { group in
      let request = permit.map { request.counting(with: $0) } ?? request
      group.addTask { .answered(await answered(request, context)) }
      group.addTask {
        do {
          try await clock.sleep(for: .seconds(limits.requestSeconds))
          return .timeIsUp
        } catch {
          return .cancelled
        }
      }
      group.addTask {
        await context.channel.untilAbandoned()
        return Task.isCancelled ? .cancelled : .abandoned
      }
      defer { group.cancelAll() }
      for await step in group {
        switch step {
        case .answered(let response): return response
        case .timeIsUp:
          return ErrorResponse(.requestTimeout, "tooSlow", "The request took too long. Ask again.").response
        case .abandoned: group.cancelAll()
        // The server is stopping; requests that were accepted are still completed.
        case .cancelled: continue
        }
      }
      return ErrorResponse(.serviceUnavailable, "stopping", "The server is about to stop.").response
    }
  }

  private func answered(_ request: Request, _ context: ServiceContext) async -> Response {
    do {
      if let page = try await page(request, context) { return page }
      let response = try await router.respond(to: request, context: context)
      // The router's own refusals have no body.
      let isBare = response.status.kind == .clientError && response.headers[.contentType] == nil
      return isBare ? Self.refusal(response.status).response : response
    } catch {
      return Self.response(to: error, context)
    }
  }

  /// Returns the response to a failed request. Errors that the client caused are not logged as errors.
  private static func response(to error: any Error, _ context: ServiceContext) -> Response {
    switch error {
    case let refusal as ErrorResponse: return refusal.response
    case let failure as RequestBodyFailure:
      context.logger.info("A request was not received", metadata: ["reason": "\(failure.underlying)"])
      return failure.refusal.response
    case let error as LedgerError: return error.errorResponse.response
    case let error as ContentStoreError: return error.errorResponse(context.logger).response
    case let error as any HTTPResponseError: return refusal(error.status).response
    case _ where Task.isCancelled || error is CancellationError:
      // The request has timed out or its connection has ended, so no client receives this response. It is not 503, which
      // would look like a fault of the server in its metrics.
      context.logger.info("A request was given up", metadata: ["reason": "\(error)"])
      return ErrorResponse(.requestTimeout, "tooSlow", "The request was given up. Ask again.").response
    case let error as LedgerDatabaseError:
      context.logger.error("The ledger's database failed", metadata: ["error": "\(error)"])
      return error.errorResponse.response
    default:
      context.logger.error("A request failed", metadata: ["error": "\(error)"])
      return ErrorResponse(.internalServerError, "internalError", "The server failed. Ask again.").response
    }
  }

  private static func refusal(_ status: HTTPResponse.Status) -> ErrorResponse {
    switch status {
    case .notFound, .methodNotAllowed:
      ErrorResponse(status, "noSuchEndpoint", "There is no such request here. /openapi.json describes those there are.")
    case .contentTooLarge: ErrorResponse(status, "tooLarge", "The body is larger than is accepted here.")
    default: ErrorResponse(status, "malformedRequest", "The request cannot be understood: \(status.reasonPhrase)")
    }
  }

  /// Whether a request is for `/health`, `/ready` or `/metrics`.
  static func isProbe(_ request: Request) -> Bool {
    ["/health", "/ready", "/metrics"].contains(request.uri.path)
  }

  private static func isNotification(_ request: Request) -> Bool {
    guard request.method == .post else { return false }
    let parts = request.uri.path.split(separator: "/")
    return parts.count == 4 && parts[0] == "v1" && parts[1] == "apps" && parts[3] == "notifications"
  }

  /// Returns the number of requests that a request counts as. Registering an installation counts more, because it
  /// stores a customer for months. Registration also has a separate rate limit.
  private static func cost(of request: Request) -> Double {
    request.method == .post && request.uri.path.split(separator: "/").last == "installations" ? 10 : 1
  }

  /// Returns the method as a label for metrics. Unknown methods become `other`. Otherwise clients could create an
  /// unlimited number of labels.
  private static func label(_ method: HTTPRequest.Method) -> String {
    [.get, .head, .post, .put, .delete, .patch, .options].contains(method) ? method.rawValue : "other"
  }

  /// Returns the client's request id if it is safe for logs and headers.
  private static func plain(_ id: String) -> String? {
    id.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil ? id : nil
  }
}

extension HTTPField.Name {
  static let requestID = HTTPField.Name("X-Request-Id")!
}

/// The responder of the health listener. It answers only requests for the server's health.
struct HealthResponder: HTTPResponder {
  typealias Context = ServiceContext

  let responder: ServiceResponder

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    guard ServiceResponder.isProbe(request) else {
      let refusal = ErrorResponse(
        .notFound, "noSuchEndpoint", "Only /health, /ready and /metrics are answered at this port.")
      return request.method == .head ? refusal.response.createHeadResponse() : refusal.response
    }
    return try await responder.respond(to: request, context: context)
  }
}
