import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// Handles the forms of a site: makes the call of the API that a form describes.
package struct CallRoutes<Site: PageSite, Context: RequestContext>: Sendable {
  /// Calls the API within the process, for the session of a page's request.
  package typealias API = @Sendable (Request, _ page: Request, Context) async throws -> Response

  private let site: Site
  private let api: API

  /// - Parameter api: answers a request to the API. The origin and the form's token have been checked before.
  package init(site: Site, api: @escaping API) {
    self.site = site
    self.api = api
  }

  package func add(to router: some RouterMethods<Context>) {
    router.post(RouterPath("\(site.path)/call")) { request, context in
      try BrowserOrigin.checkPage(request)
      let posted = try await PostedCall(request)
      try posted.check(site.calls(for: request))
      return try await respond(to: posted, request, context)
    }
    // Returns the `curl` command for the form's current values.
    router.post(RouterPath("\(site.path)/command")) { request, _ in
      try BrowserOrigin.checkPage(request)
      let posted = try await PostedCall(request)
      try posted.check(site.calls(for: request))
      let command = site.calls(for: request).command(of: posted.call)
      return Response(
        status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: command)))
    }
  }

  private func respond(to posted: PostedCall, _ request: Request, _ context: Context) async throws -> Response {
    let call = posted.call
    if let problem = posted.problem {
      return refused(problem.text, problem.field, .badRequest, call, request)
    }
    let head = HTTPRequest(
      method: call.method, scheme: request.head.scheme, authority: request.head.authority,
      path: site.calls(for: request).address(of: call), headerFields: [.contentType: "application/json"])
    let body = RequestBody(buffer: call.body.map { ByteBuffer(string: $0) } ?? ByteBuffer())
    let response: Response
    do {
      response = try await api(Request(head: head, body: body), request, context)
    } catch let refusal as ErrorResponse {
      return try await refused(refusal.response, call.field(of: refusal.member), call, request)
    }
    guard response.status.kind == .successful else { return try await refused(response, nil, call, request) }
    if let name = posted.download { return response.saved(as: name) }
    if let name = posted.reveal {
      let answer = try BoundedJSON.object(from: Data(buffer: try await response.body.collected())) as? [String: Any]
      guard let value = answer?[name] as? String else {
        throw ErrorResponse(.internalServerError, "notInAnswer", "It was done, but the answer has no \(name).")
      }
      return revealed(value, request)
    }
    return .seeOther(posted.nextPage(try await response.body.collected(), page: Self.page(of: request)))
  }

  /// The page that shows a value of an answer. It is the answer to the form itself, so that the value is in no address, and a page
  /// that is loaded again does not have it.
  private func revealed(_ value: String, _ request: Request) -> Response {
    site.page(
      "Done", in: nil, for: request,
      """
      <h1>Done</h1>
      <section class="card"><p>Copy this now. It is shown only once.</p>
      \(CopyableText(id: "revealed", title: "secret", text: value).html)</section>
      <p><a href="\(Self.page(of: request))">Back</a></p>
      """)
  }

  private func refused(
    _ response: Response, _ field: FormField?, _ call: APICall, _ request: Request
  ) async throws -> Response {
    refused(try await response.refusalMessage(), field, response.status, call, request)
  }

  /// The page of a refused call. The page's script shows the reason beside the field that it names.
  private func refused(
    _ message: String, _ field: FormField?, _ status: HTTPResponse.Status, _ call: APICall, _ request: Request
  ) -> Response {
    let place: HTML = field.map { " data-field=\"\($0.formName)\"" } ?? ""
    return site.page(
      "Not possible", in: nil, for: request, status: status,
      """
      <h1>Not possible</h1>
      <p class="notice"\(place)>\(message)</p>
      <p><a href="\(Self.page(of: request))">Back</a></p>
      <h2>What was sent, as a command</h2>
      <pre class="command" tabindex="0">\(site.calls(for: request).command(of: call))</pre>
      """)
  }

  /// The path and query of the page with the form; `/` if the browser does not send them.
  private static func page(of request: Request) -> String {
    guard let referer = request.headers[.referer], let url = URL(string: referer), url.path.hasPrefix("/"),
      !url.path.hasPrefix("//")
    else { return "/" }
    return url.path(percentEncoded: true) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
  }
}

extension APICall {
  /// The field with a member of the body, or with a member of it. A member of a list, such as `products.Index 0`, is in the list's field.
  fileprivate func field(of member: String?) -> FormField? {
    member.flatMap { member in
      let sent = CallBody.fields(fields)
      return sent.first { $0.name == member } ?? sent.first { member.hasPrefix("\($0.name).") }
        ?? fields.first { $0.name.hasPrefix("\(member).") }
    }
  }
}
