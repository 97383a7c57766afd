import APIDescription
import Hummingbird
import WebSupport

extension RouterMethods<ServiceContext> {
  /// Adds an endpoint whose callers are authenticated before the request's body is read. So unknown callers cannot use
  /// up memory.
  ///
  /// - Parameters:
  ///   - bodyLimit: the maximum size of the body, in bytes.
  ///   - authenticate: returns the caller, or throws a refusal.
  func serve<Path, Query, Body, Answer, Caller>(
    _ endpoint: Endpoint<Path, Query, Body, Answer>, bodyLimit: Int = BodyLimit.fields,
    for authenticate: @escaping @Sendable (Request, ServiceContext) async throws -> Caller,
    answer: @escaping @Sendable (ServiceRequest<Path, Query, Body>, Caller) async throws -> Answer
  ) {
    serve(raw: endpoint, bodyLimit: bodyLimit, for: authenticate) { request, caller in
      try endpoint.response(with: try await answer(request, caller))
    }
  }

  /// Adds an endpoint as ``serve(_:bodyLimit:for:answer:)`` does, whose handler creates the whole response.
  func serve<Path, Query, Body, Answer, Caller>(
    raw endpoint: Endpoint<Path, Query, Body, Answer>, bodyLimit: Int = BodyLimit.fields,
    for authenticate: @escaping @Sendable (Request, ServiceContext) async throws -> Caller,
    respond: @escaping @Sendable (ServiceRequest<Path, Query, Body>, Caller) async throws -> Response
  ) {
    let reader = EndpointReader(endpoint, bodyLimit: bodyLimit)
    on(RouterPath(endpoint.path), method: endpoint.method.http) { request, context in
      let caller = try await authenticate(request, context)
      // PostgreSQL cannot store U+0000 in text, so it is refused with every database.
      if let name = request.uri.queryParameters.first(where: { $0.value.utf8.contains(0) })?.key {
        throw ErrorResponse(.badRequest, "malformedRequest", "\(name.prefix(80)) has the character U+0000.")
      }
      let input = try await reader.input(of: request, in: context)
      return try await respond(ServiceRequest(input: input, request: request, context: context), caller)
    }
  }

  /// Adds an endpoint that requires no authentication.
  func serve<Path, Query, Body, Answer>(
    _ endpoint: Endpoint<Path, Query, Body, Answer>, bodyLimit: Int = BodyLimit.fields,
    answer: @escaping @Sendable (ServiceRequest<Path, Query, Body>) async throws -> Answer
  ) {
    serve(endpoint, bodyLimit: bodyLimit, for: { _, _ in }, answer: { request, _ in try await answer(request) })
  }

  /// Adds an endpoint whose handler creates the whole response, for example with header fields or without JSON.
  func serve<Path, Query, Body, Answer>(
    raw endpoint: Endpoint<Path, Query, Body, Answer>,
    respond: @escaping @Sendable (Request, ServiceContext) async throws -> Response
  ) {
    on(RouterPath(endpoint.path), method: endpoint.method.http) { request, context in
      try await respond(request, context)
    }
  }
}

/// A request whose path, query and body have been read.
struct ServiceRequest<Path: Sendable, Query: Sendable, Body: Sendable>: Sendable {
  let input: EndpointInput<Path, Query, Body>
  let request: Request
  let context: ServiceContext

  var path: Path { input.path }
  var query: Query { input.query }
  var body: Body { input.body }
}
