import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import StoreModel
import WebSupport

/// Dispatches requests to the APIs and the console. Checks the host, origin and control token of requests first.
///
/// - Requests to Apple's host names reach only the endpoints that Apple has there.
/// - If the server listens on loopback, other host names are refused. This stops DNS rebinding, in which a web page's
///   host name is pointed at 127.0.0.1. Only the OCSP responder answers at any host: it is public, and changes nothing.
/// - The device API and the control API refuse requests of pages with another origin, and accept only JSON.
/// - With TLS, the control API and the console exist only if there is a token. Checking `Host` is not enough there,
///   because another machine may forward requests from port 443, and these may have any `Host`.
/// - If there is a control token, the control API needs the token or a session of the console.
struct EmulatorResponder: HTTPResponder {
  typealias Context = EmulatorRequestContext

  let isLoopback: Bool
  /// Whether this listener has the control API and the console.
  let hasControl: Bool
  /// The device API, the APIs for backends and the OCSP responder.
  let storeAPI: RouterResponder<EmulatorRequestContext>
  let control: RouterResponder<BasicRequestContext>
  let console: SiteResponder<ConsoleContext, ConsoleSessions, EmulatorRequestContext>

  func respond(to request: Request, context: EmulatorRequestContext) async throws -> Response {
    do {
      try request.checkText()
      let admitted = try admitted(request.markingBodyFailures(on: context.channel), context)
      let api = Self.api(of: admitted)
      let response =
        if api == "control" {
          try await control.respond(to: admitted, context: context.basic)
        } else if ConsoleContext.isConsole(api) {
          try await console.respond(to: admitted, context: context, from: context.callerAddress)
        } else {
          try await storeAPI.respond(to: admitted, context: context)
        }
      // The router's own errors have no body.
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
      // The fault in effect requires that the caller receives no response.
      return await unanswered(context)
    } catch is CancellationError {
      // The caller has closed the connection, or the server stopped while the request waited. A request waits while a
      // fault holds it, or while the store settles due rows.
      return await unanswered(context)
    } catch let error where error.isStoreDiskFailure {
      context.logger.error("The store's disk failed", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
      return ErrorResponse(
        .serviceUnavailable,
        body: DeviceAPI.Refused(
          error: StoreRefusal(.temporarilyUnavailable, "The store cannot read or write its disk. Nothing was changed.")),
        headers: [.retryAfter: "5"]
      ).response
    } catch {
      context.logger.error("A request failed", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
      return ErrorResponse(
        .internalServerError, StoreRefusal(.temporarilyUnavailable, "The emulator failed: \(error)")
      ).response
    }
  }

  private func unanswered(_ context: EmulatorRequestContext) async -> Response {
    await context.channel.reset(logger: context.logger)
    // The caller of this function needs a response. This response is never sent, because the connection was reset.
    return Response(status: .internalServerError)
  }

  private static func refusal(_ status: HTTPResponse.Status, of request: Request) -> ErrorResponse {
    switch status {
    case .notFound, .methodNotAllowed:
      ErrorResponse(
        status, "noSuchEndpoint",
        "There is no \(request.method) \(request.uri.path) here. There are / (the console), /control/openapi.json, "
          + "/control/v1/…, /ocsp, and below /production/ and /sandbox/: verifyReceipt and inApps/….")
    case .contentTooLarge: ErrorResponse(status, "tooLarge", "The body is larger than is accepted here.")
    default: ErrorResponse(status, "malformedRequest", "The request cannot be understood: \(status.reasonPhrase)")
    }
  }

  private func admitted(_ request: Request, _ context: EmulatorRequestContext) throws(ErrorResponse) -> Request {
    let authority = HostAuthority(request.head.authority ?? "")
    if let host = authority?.host, let endpoint = AppleHosts.endpoints[host] {
      guard let path = AppleHosts.path(request.uri.path, at: endpoint) else {
        throw ErrorResponse(.notFound, "noSuchEndpoint", "\(host) has no \(request.uri.path).")
      }
      var head = request.head
      head.path = request.uri.query.map { "\(path)?\($0)" } ?? path
      return Request(head: head, body: request.body)
    }
    // Verifiers use the address in the certificates, which can have any host.
    let isStatusRequest = Self.api(of: request) == "ocsp"
    guard !isLoopback || isStatusRequest || authority?.isLoopback == true else {
      let host = request.head.authority ?? ""
      throw ErrorResponse(
        .misdirectedRequest, "foreignHost",
        "This emulator answers to localhost and to Apple's host names only, not to \(host.prefix(255).debugDescription)."
      )
    }
    let api = Self.api(of: request)
    guard hasControl || api != "control" && !ConsoleContext.isConsole(api) else {
      throw ErrorResponse(
        .notFound, "noSuchEndpoint",
        "Without --control-token, the control API and the console are not on the TLS port. Use the other port.")
    }
    if api == "control" || api == "device" { try checkLocal(request) }
    if api == "control" { try checkToken(request, context) }
    return request
  }

  /// The first part of the path that is not empty, because the router ignores empty parts.
  private static func api(of request: Request) -> Substring? { request.uri.path.split(separator: "/").first }

  private func checkLocal(_ request: Request) throws(ErrorResponse) {
    try BrowserOrigin.check(request)
    // The content type of a request without a body is not checked in two cases:
    // - The method is DELETE. Browsers send a preflight request before it.
    // - The header is missing. The request is then not from a form, because forms always send a content type. If the
    //   request is from a script, the browser has sent its origin, which was checked above.
    let hasBody =
      request.headers[.transferEncoding] != nil || (request.headers[.contentLength] ?? "0") != "0"
    let needsNoType = !hasBody && (request.method == .delete || request.headers[.contentType] == nil)
    if request.method != .get && request.method != .head && !needsNoType {
      // Without a preflight request, a form or script of another page can send text, but not JSON.
      let type = request.headers[.contentType]?.split(separator: ";").first?
        .trimmingCharacters(in: .whitespaces).lowercased()
      guard type == "application/json" else {
        throw ErrorResponse(
          .unsupportedMediaType, "notJSON", "Send JSON, with the header Content-Type: application/json.")
      }
    }
  }

  private func checkToken(_ request: Request, _ context: EmulatorRequestContext) throws(ErrorResponse) {
    guard let sessions = console.access else { return }
    let isGiven = isFromConsole(request) ? true : try sessions.admits(bearerOf: request, from: context.callerAddress)
    guard isGiven else {
      throw ErrorResponse(
        .unauthorized, "tokenRequired", "Send the control token, with the header Authorization: Bearer TOKEN.")
    }
  }

  /// Whether the request is from a page of the console, in a browser with a session. A request that changes something
  /// must have an origin header, which all browsers send.
  private func isFromConsole(_ request: Request) -> Bool {
    guard let cookie = console.site.cookie?.value(in: request), console.access?.admits(cookie) == true else {
      return false
    }
    let isReading = request.method == .get || request.method == .head
    return isReading || request.headers[.origin] != nil || request.headers[.secFetchSite] != nil
  }
}
