import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PurchaseLedger
import StoreModel
import WebSupport

/// Stands before every door of the server: limits, request ids, times, and words for what goes wrong.
struct ServiceResponder: HTTPResponder {
  typealias Context = ServiceContext

  let doors: RouterResponder<ServiceContext>
  /// The path of uploads, which may take longer than other requests.
  let uploadPath: String
  let limits: ServiceLimits
  let trustedProxies: [NetworkRange]
  let rates: CallerRates
  let presence: RequestPresence
  let metrics: ServiceMetrics
  let clock: any MachineClock
  let makeRequestID: @Sendable () -> String

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    let began = clock.nanoseconds
    let refusal = Self.textRefusal(request)
    let headers = refusal == nil ? request.headers : [:]
    let id = headers[.requestID].flatMap(Self.plain) ?? makeRequestID()
    var logger = context.logger
    logger[metadataKey: "request"] = "\(id)"
    var context = ServiceContext(source: .init(channel: context.channel, logger: logger))
    context.caller = CallerAddress(
      peer: context.channel.remoteAddress?.ipAddress, headers, trusted: trustedProxies)
    var response = if let refusal { refusal.response } else { await admitted(request, context) }
    response.headers[.requestID] = id
    // Whoever made the answer may not have known that only its head is wanted; its body would be taken for the next one.
    if request.method == .head {
      let length = response.headers[.contentLength]
      response = response.createHeadResponse()
      // An empty body has a length of its own, which is not that of the answer to GET.
      response.headers[.contentLength] = length
    }
    let milliseconds = (clock.nanoseconds - began) / 1_000_000
    let (method, route) = (Self.label(request.method), context.endpointPath ?? "NotFound")
    let labels = ["method": method, "route": route]
    metrics.durations.record(nanoseconds: clock.nanoseconds - began, labels)
    metrics.requests.add(1, labels.merging(["status": "\(response.status.code)"]) { $1 })
    context.logger.info(
      "A request was answered",
      metadata: [
        "method": "\(method)", "route": "\(route)", "status": "\(response.status.code)",
        "milliseconds": "\(milliseconds)",
      ])
    return response
  }

  /// Nothing in a request is compared with anything before this.
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
    let isWatching = Self.isWatching(request)
    let seconds =
      isWatching
      ? rates.admitProbe(from: context.caller)
      : await rates.admit(token: request.bearerToken, from: context.caller, cost: Self.cost(of: request))
    if let seconds {
      return ErrorResponse(
        .tooManyRequests, "tooManyRequests", "That is more than one caller may ask. Wait \(seconds) s.",
        headers: [.retryAfter: String(seconds)]
      ).response
    }
    guard !isWatching else { return await inTime(request, context) }
    guard presence.enter() else {
      return ErrorResponse(
        .serviceUnavailable, "overloaded", "The server has too much to do. Ask again.", headers: [.retryAfter: "1"]
      ).response
    }
    defer { presence.leave() }
    return await inTime(request, context)
  }

  private enum Step {
    case answered(Response)
    case timeIsUp
    case cancelled
  }

  /// Cancels a request that takes too long, above all one whose body never ends. A verification or a commit under way still ends, within
  /// its own limits, before the response is sent; the client finds what was committed when it repeats the request.
  private func inTime(_ request: Request, _ context: ServiceContext) async -> Response {
    // A file is as long as it is; while it comes, the connection is not idle.
    guard request.uri.path != uploadPath else { return await answered(request, context) }
    return await withTaskGroup(of: Step.self) { group in
      group.addTask { .answered(await answered(request, context)) }
      group.addTask {
        do {
          try await clock.sleep(for: .seconds(limits.requestSeconds))
          return .timeIsUp
        } catch {
          return .cancelled
        }
      }
      defer { group.cancelAll() }
      for await step in group {
        switch step {
        case .answered(let response): return response
        case .timeIsUp:
          return ErrorResponse(.requestTimeout, "tooSlow", "The request took too long. Ask again.").response
        // The server is made to stop; what was accepted still comes to its end.
        case .cancelled: continue
        }
      }
      return ErrorResponse(.serviceUnavailable, "stopping", "The server is about to stop.").response
    }
  }

  private func answered(_ request: Request, _ context: ServiceContext) async -> Response {
    do {
      let response = try await doors.respond(to: request.markingBodyFailures, context: context)
      // What the router itself refuses comes without words.
      let isBare = response.status.kind == .clientError && response.headers[.contentType] == nil
      return isBare ? Self.refusal(response.status).response : response
    } catch {
      return Self.response(to: error, context)
    }
  }

  /// The response to a request that failed. What the client caused is no error in the log.
  private static func response(to error: any Error, _ context: ServiceContext) -> Response {
    switch error {
    case let refusal as ErrorResponse: return refusal.response
    case let failure as RequestBodyFailure:
      context.logger.info("A request was not received", metadata: ["reason": "\(failure.underlying)"])
      return failure.refusal.response
    case let error as LedgerError: return error.doorRefusal.response
    case let error as ContentStoreError: return error.doorRefusal(context.logger).response
    case let error as any HTTPResponseError: return refusal(error.status).response
    case _ where Task.isCancelled || error is CancellationError:
      // Its time is up, or its connection has ended: the response goes nowhere.
      context.logger.info("A request was given up", metadata: ["reason": "\(error)"])
      return ErrorResponse(.serviceUnavailable, "tooSlow", "The request was given up. Ask again.").response
    case let error as LedgerDatabaseError:
      context.logger.error("The ledger's database failed", metadata: ["error": "\(error)"])
      return error.doorRefusal.response
    default:
      context.logger.error("A request failed", metadata: ["error": "\(error)"])
      return ErrorResponse(.internalServerError, "internalError", "The server failed. Ask again.").response
    }
  }

  private static func refusal(_ status: HTTPResponse.Status) -> ErrorResponse {
    switch status {
    case .notFound, .methodNotAllowed:
      ErrorResponse(status, "noSuchDoor", "There is no such request here. /openapi.json describes those there are.")
    case .contentTooLarge: ErrorResponse(status, "tooLarge", "The body is larger than this door takes.")
    default: ErrorResponse(status, "malformedRequest", "The request cannot be understood: \(status.reasonPhrase)")
    }
  }

  /// Whether it is a request for the server's health.
  static func isWatching(_ request: Request) -> Bool {
    ["/health", "/ready", "/metrics"].contains(request.uri.path)
  }

  /// A new customer is kept for months, and has a rate of its own.
  private static func cost(of request: Request) -> Double {
    request.method == .post && request.uri.path.split(separator: "/").last == "installations" ? 10 : 1
  }

  /// Of what anybody may send, one of a few words.
  private static func label(_ method: HTTPRequest.Method) -> String {
    [.get, .head, .post, .put, .delete, .patch, .options].contains(method) ? method.rawValue : "other"
  }

  /// A client's own request id, if it can be written anywhere without harm.
  private static func plain(_ id: String) -> String? {
    id.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil ? id : nil
  }
}

extension HTTPField.Name {
  static let requestID = HTTPField.Name("X-Request-Id")!
}
