import Foundation
import HTTPTypes
import Hummingbird
import StoreModel
import WebSupport

/// Stands before every door: who may come to which.
///
/// - Requests to Apple's own host names reach the doors that Apple has there, and no other.
/// - Bound to loopback, other host names are refused: a web page whose name was pointed at 127.0.0.1 gets nothing.
/// - The device and control doors refuse what a page of another origin sends, and take only JSON.
/// - With TLS, the control door and the console are there only with a token: whatever `Host` says, who forwards port 443 to it may be on
///   another machine.
/// - The control door asks for its token, if there is one, or for a session of the console.
struct EmulatorResponder: HTTPResponder {
  typealias Context = EmulatorRequestContext

  let isLoopback: Bool
  /// Whether the control API and the console are behind this listener.
  let hasControl: Bool
  /// What devices and receipt servers use.
  let doors: RouterResponder<EmulatorRequestContext>
  let control: RouterResponder<BasicRequestContext>
  let console: ConsoleResponder

  func respond(to request: Request, context: EmulatorRequestContext) async throws -> Response {
    do {
      try request.checkText()
      let admitted = try admitted(request.markingBodyFailures, context)
      let door = Self.door(of: admitted)
      let response =
        if door == "control" {
          try await control.respond(to: admitted, context: context.basic)
        } else if ConsoleResponder.isConsole(door) {
          try await console.respond(to: admitted, context: context)
        } else {
          try await doors.respond(to: admitted, context: context)
        }
      // What the router itself refuses comes without words.
      let isBare = response.status.kind == .clientError && response.headers[.contentType] == nil
      return isBare ? Self.refusal(response.status, of: admitted).response : response
    } catch let refusal as ErrorResponse {
      return refusal.response
    } catch let failure as RequestBodyFailure {
      context.logger.info("A request was not received", metadata: ["reason": "\(failure.underlying)"])
      return failure.refusal.response
    } catch let error as any HTTPResponseError {
      return Self.refusal(error.status, of: request).response
    } catch is StoreConnectionFailure {
      // A fault's: whoever asked is to get no answer.
      return await unanswered(context)
    } catch is CancellationError {
      // Whoever asked has hung up, or the server stops while the request is held.
      return await unanswered(context)
    } catch {
      context.logger.error("A request failed", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
      return ErrorResponse(
        .internalServerError, StoreRefusal(.temporarilyUnavailable, "The emulator failed: \(error)")
      ).response
    }
  }

  private func unanswered(_ context: EmulatorRequestContext) async -> Response {
    await context.channel.reset(logger: context.logger)
    // Somebody has to be given something; it goes nowhere.
    return Response(status: .internalServerError)
  }

  private static func refusal(_ status: HTTPResponse.Status, of request: Request) -> ErrorResponse {
    switch status {
    case .notFound, .methodNotAllowed:
      ErrorResponse(
        status, "noSuchDoor",
        "There is no \(request.method) \(request.uri.path) here. The doors are / (the console), /control/openapi.json, "
          + "/control/v1/…, /production/verifyReceipt and /sandbox/verifyReceipt.")
    case .contentTooLarge: ErrorResponse(status, "tooLarge", "The body is larger than this door takes.")
    default: ErrorResponse(status, "malformedRequest", "The request cannot be understood: \(status.reasonPhrase)")
    }
  }

  private func admitted(_ request: Request, _ context: EmulatorRequestContext) throws(ErrorResponse) -> Request {
    let authority = HostAuthority(request.head.authority ?? "")
    if let host = authority?.host, let door = AppleHosts.doors[host] {
      guard let path = AppleHosts.path(request.uri.path, at: door) else {
        throw ErrorResponse(.notFound, "noSuchDoor", "\(host) has no \(request.uri.path).")
      }
      var head = request.head
      head.path = request.uri.query.map { "\(path)?\($0)" } ?? path
      return Request(head: head, body: request.body)
    }
    guard !isLoopback || authority?.isLoopback == true else {
      let host = request.head.authority ?? ""
      throw ErrorResponse(
        .misdirectedRequest, "foreignHost",
        "This emulator answers to localhost and to Apple's host names only, not to \(host.prefix(255).debugDescription)."
      )
    }
    let door = Self.door(of: request)
    guard hasControl || door != "control" && !ConsoleResponder.isConsole(door) else {
      throw ErrorResponse(
        .notFound, "noSuchDoor",
        "Without --control-token, the control API and the console are not on the TLS port. Use the other port.")
    }
    if door == "control" || door == "device" { try checkLocal(request) }
    if door == "control" { try checkToken(request, context) }
    return request
  }

  /// The router passes over empty parts of a path, so a door is known by the first part that is not empty.
  private static func door(of request: Request) -> Substring? { request.uri.path.split(separator: "/").first }

  private func checkLocal(_ request: Request) throws(ErrorResponse) {
    try BrowserOrigin.check(request)
    // Browsers ask first before they send DELETE.
    let isEmpty =
      request.method == .delete && request.headers[.transferEncoding] == nil
      && (request.headers[.contentLength] ?? "0") == "0"
    if request.method != .get && request.method != .head && !isEmpty {
      // A form or a script of another page can send text without asking first, but not JSON.
      let type = request.headers[.contentType]?.split(separator: ";").first?
        .trimmingCharacters(in: .whitespaces).lowercased()
      guard type == "application/json" else {
        throw ErrorResponse(
          .unsupportedMediaType, "notJSON", "Send JSON, with the header Content-Type: application/json.")
      }
    }
  }

  private func checkToken(_ request: Request, _ context: EmulatorRequestContext) throws(ErrorResponse) {
    guard let sessions = console.sessions else { return }
    let isGiven = isFromConsole(request) ? true : try sessions.admits(bearerOf: request, from: context.callerAddress)
    guard isGiven else {
      throw ErrorResponse(
        .unauthorized, "tokenRequired", "Send the control token, with the header Authorization: Bearer TOKEN.")
    }
  }

  /// Whether a page of the console sends it, in a browser that has a session. What changes something must say where it comes
  /// from, as every browser does.
  private func isFromConsole(_ request: Request) -> Bool {
    guard let cookie = request.sessionCookie, console.sessions?.admits(cookie) == true else { return false }
    let isReading = request.method == .get || request.method == .head
    return isReading || request.headers[.origin] != nil || request.headers[.secFetchSite] != nil
  }
}
