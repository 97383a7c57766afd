import Crypto
import Foundation
import HTTPDoors
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PurchaseLedger

/// Stands before every door of the server: limits, request ids, times, and words for what goes wrong.
struct ServiceKeeper: HTTPResponder {
  typealias Context = ServiceContext

  let doors: RouterResponder<ServiceContext>
  let limits: ServiceLimits
  let rates: RateLimiter
  let presence: RequestPresence
  let metrics: ServiceMetrics
  let nanoseconds: @Sendable () -> Int64
  let makeRequestID: @Sendable () -> String

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    let began = nanoseconds()
    let id = request.headers[.requestID].flatMap(Self.plain) ?? makeRequestID()
    var logger = context.logger
    logger[metadataKey: "request"] = "\(id)"
    let context = ServiceContext(source: .init(channel: context.channel, logger: logger))
    var response = await admitted(request, context)
    response.headers[.requestID] = id
    let route = context.endpointPath ?? Self.route(request)
    let labels = ["method": request.method.rawValue, "route": route]
    metrics.durations.record(nanoseconds: nanoseconds() - began, labels)
    metrics.requests.add(1, labels.merging(["status": "\(response.status.code)"]) { $1 })
    context.logger.info(
      "A request was answered",
      metadata: [
        "method": "\(request.method)", "route": "\(route)", "status": "\(response.status.code)",
        "milliseconds": "\((nanoseconds() - began) / 1_000_000)",
      ])
    return response
  }

  private func admitted(_ request: Request, _ context: ServiceContext) async -> Response {
    // Who watches the server must not be kept out by those who use it.
    guard !Self.isWatching(request) else { return await answered(request, context) }
    if let seconds = rates.admit(Self.caller(request, context)) {
      return DoorRefusal(
        .tooManyRequests, "tooManyRequests", "That is more than one caller may ask. Wait \(seconds) s.",
        headers: [.retryAfter: String(seconds)]
      ).response
    }
    guard presence.enter() else {
      return DoorRefusal(
        .serviceUnavailable, "overloaded", "The server has too much to do. Ask again.", headers: [.retryAfter: "1"]
      ).response
    }
    defer { presence.leave() }
    return await inTime(request, context)
  }

  /// Ends what takes too long, above all a body that never comes to its end. Whatever was committed is, and will be found.
  private func inTime(_ request: Request, _ context: ServiceContext) async -> Response {
    // A file is as long as it is; while it comes, the connection is not idle.
    guard request.uri.path != "/v1/operator/content" else { return await answered(request, context) }
    return await withTaskGroup(of: Response?.self) { group in
      group.addTask { await answered(request, context) }
      group.addTask {
        try? await Task.sleep(for: .seconds(limits.requestSeconds))
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
        ?? DoorRefusal(.requestTimeout, "tooSlow", "The request took too long. Ask again.").response
    }
  }

  private func answered(_ request: Request, _ context: ServiceContext) async -> Response {
    do {
      let response = try await doors.respond(to: request, context: context)
      // What the router itself refuses comes without words.
      let isBare = response.status.kind == .clientError && response.headers[.contentType] == nil
      return isBare ? Self.refusal(response.status, of: request).response : response
    } catch let refusal as DoorRefusal {
      return refusal.response
    } catch let error as LedgerError {
      return error.doorRefusal.response
    } catch let error as LedgerDatabaseError {
      context.logger.error("The ledger's database failed", metadata: ["error": "\(error)"])
      return error.doorRefusal.response
    } catch let error as ContentStoreError {
      return error.doorRefusal(context.logger).response
    } catch let refusal as DownloadRefusal {
      return DoorRefusal(refusal.status, refusal.code, refusal.description).response
    } catch let error as any HTTPResponseError {
      return Self.refusal(error.status, of: request).response
    } catch {
      context.logger.error("A request failed", metadata: ["error": "\(error)"])
      return DoorRefusal(.internalServerError, "internalError", "The server failed. Ask again.").response
    }
  }

  private static func refusal(_ status: HTTPResponse.Status, of request: Request) -> DoorRefusal {
    switch status {
    case .notFound, .methodNotAllowed:
      DoorRefusal(status, "noSuchDoor", "There is no such request here. /openapi.json describes those there are.")
    case .contentTooLarge: DoorRefusal(status, "tooLarge", "The body is larger than this door takes.")
    default: DoorRefusal(status, "malformedRequest", "The request cannot be understood: \(status.reasonPhrase)")
    }
  }

  private static func isWatching(_ request: Request) -> Bool {
    ["/health", "/ready", "/metrics"].contains(request.uri.path)
  }

  /// The token's hash, because what is kept in memory may end in a dump; the address of who has none.
  private static func caller(_ request: Request, _ context: ServiceContext) -> String {
    guard let token = request.bearerToken else { return context.remoteAddress }
    return SHA256.hash(data: Data(token.utf8)).prefix(12).map { String(format: "%02x", $0) }.joined()
  }

  /// For requests that no route was found for: nothing of what they sent.
  private static func route(_ request: Request) -> String { "(none)" }

  /// A client's own request id, if it can be written anywhere without harm.
  private static func plain(_ id: String) -> String? {
    id.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil ? id : nil
  }
}

extension HTTPField.Name {
  static let requestID = HTTPField.Name("X-Request-Id")!
}

/// How many requests are under way.
final class RequestPresence: @unchecked Sendable {
  private let lock = NSLock()
  private let most: Int
  private var present = 0

  init(most: Int) { self.most = most }

  /// False if there are too many.
  func enter() -> Bool {
    lock.withLock {
      guard present < most else { return false }
      present += 1
      return true
    }
  }

  func leave() { lock.withLock { present -= 1 } }
}
