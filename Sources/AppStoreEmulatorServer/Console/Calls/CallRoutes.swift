import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StoreModel
import WebSupport

/// Handles the forms of the console: makes the call of the control API that a form describes.
struct CallRoutes: Sendable {
  let console: ConsoleContext
  /// The control API. Before this API is called, the console checks the request's origin, session and token.
  let control: RouterResponder<BasicRequestContext>

  func add(to router: Router<EmulatorRequestContext>) {
    router.post("/console/call") { request, context in
      try Self.checkPage(request)
      let posted = try await PostedCall(request)
      return try await respond(to: posted, request, context)
    }
    // Returns the `curl` command for the form's current values.
    router.post("/console/command") { request, _ in
      try Self.checkPage(request)
      let command = console.command(for: request).text(of: try await PostedCall(request).call)
      return Response(
        status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: command)))
    }
  }

  /// Refuses requests that are not from a page of this server. Another site's form can send the same fields, but every
  /// browser sends the origin of the page.
  static func checkPage(_ request: Request) throws(ErrorResponse) {
    try BrowserOrigin.check(request)
    guard request.headers[.origin] != nil || request.headers[.secFetchSite] != nil else {
      throw ErrorResponse(
        .forbidden, "foreignOrigin",
        "Only the console's own pages send this. Programs use the control API: /control/v1/….")
    }
  }

  private func respond(
    to posted: PostedCall, _ request: Request, _ context: EmulatorRequestContext
  ) async throws -> Response {
    let call = posted.call
    if let problem = posted.problem {
      return try await refused(ErrorResponse(.badRequest, "malformedRequest", problem).response, call, request)
    }
    let head = HTTPRequest(
      method: call.method, scheme: request.head.scheme, authority: request.head.authority, path: call.address,
      headerFields: [.contentType: "application/json"])
    let body = call.body.map { RequestBody(buffer: ByteBuffer(string: $0)) } ?? RequestBody(buffer: ByteBuffer())
    let response: Response
    do {
      response = try await control.respond(to: Request(head: head, body: body), context: context.basic)
    } catch let refusal as ErrorResponse {
      return try await refused(refusal.response, call, request)
    }
    guard response.status.kind == .successful else { return try await refused(response, call, request) }
    return .seeOther(posted.nextPage(try await response.body.collected(), page: Self.page(of: request)))
  }

  private func refused(_ response: Response, _ call: ControlCall, _ request: Request) async throws -> Response {
    struct Refusal: Decodable {
      struct Reason: Decodable { let message: String }
      let error: Reason
    }
    let body = Data(buffer: try await response.body.collected())
    let message = (try? BoundedJSON.decode(Refusal.self, from: body))?.error.message ?? response.status.reasonPhrase
    return console.page(
      "Not possible", in: nil, status: response.status,
      """
      <h1>Not possible</h1>
      <p class="notice">\(message)</p>
      <p><a href="\(Self.page(of: request))">Back</a></p>
      <h2>What was sent, as a command</h2>
      <pre class="command" tabindex="0">\(console.command(for: request).text(of: call))</pre>
      """)
  }

  /// The path and query of the page with the form; `/` if the browser does not send them.
  static func page(of request: Request) -> String {
    guard let referer = request.headers[.referer], let url = URL(string: referer), url.path.hasPrefix("/"),
      !url.path.hasPrefix("//")
    else { return "/" }
    return url.path(percentEncoded: true) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
  }
}
