import APIDescription
import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// The decoded input of a request to an endpoint.
package struct EndpointInput<Path: Sendable, Query: Sendable, Body: Sendable>: Sendable {
  package let path: Path
  package let query: Query
  package let body: Body
  /// The host and port in the request; nil if it has none.
  package let authority: String?
}

/// What an endpoint's types allow.
private struct AllowedInput: Sendable {
  let path: TextMembers
  let query: TextMembers
  let body: AllowedJSON
}

/// Reads the requests to one endpoint. The endpoint's types define which values are allowed.
package struct EndpointReader<
  Path: APIObject, Query: APIObject, Body: Codable & Sendable, Answer: Codable & Sendable
>: Sendable {
  private let endpoint: Endpoint<Path, Query, Body, Answer>
  private let bodyLimit: Int
  /// Made at the first request. For all endpoints together, it would take a tenth of a server's start.
  private let allowed = MadeOnce<AllowedInput>()

  /// - Parameter bodyLimit: the maximum size of a body, in bytes.
  package init(_ endpoint: Endpoint<Path, Query, Body, Answer>, bodyLimit: Int) {
    self.endpoint = endpoint
    self.bodyLimit = bodyLimit
  }

  private func allowedInput() -> AllowedInput {
    let components = SchemaComponents()
    do {
      return AllowedInput(
        path: TextMembers(members: try components.members(of: Path.self), components: components),
        query: TextMembers(members: try components.members(of: Query.self), components: components),
        body: endpoint.hasBody ? AllowedJSON(try components.schema(of: Body.self), in: components) : .object([:]))
    } catch {
      preconditionFailure("\(endpoint.name) cannot be described: \(error)")
    }
  }

  /// Decodes a request.
  ///
  /// - Throws: ``ErrorResponse``, which names the invalid value.
  package func input(
    of request: Request, in context: some RequestContext
  ) async throws -> EndpointInput<Path, Query, Body> {
    let allowed = allowed.value(allowedInput)
    var pathValues: [String: String] = [:]
    for member in allowed.path.members { pathValues[member.name] = try context.pathParameter(member.name) }
    return EndpointInput(
      path: try allowed.path.decoded(pathValues),
      query: try allowed.query.decoded(Self.queryValues(of: request, allowed.query)),
      body: try await body(of: request, allowed.body), authority: request.head.authority)
  }

  private static func queryValues(
    of request: Request, _ query: TextMembers
  ) throws(ErrorResponse) -> [String: String] {
    guard !query.members.isEmpty else { return [:] }
    var (values, repeated): ([String: String], Set<String>) = ([:], [])
    for (key, value) in request.uri.queryParameters {
      let name = String(key)
      if values.updateValue(String(value), forKey: name) != nil { repeated.insert(name) }
    }
    let names = query.members.map(\.name).sorted()
    // Unknown names are refused: if a misspelt filter were ignored, the result would be unfiltered.
    if let unknown = values.keys.filter({ !names.contains($0) }).min() {
      throw ErrorResponse(
        .badRequest, "malformedRequest",
        "\(unknown.prefix(80)) cannot be asked for; there are \(names.joined(separator: ", ")).")
    }
    // It is not defined which of the values counts.
    if let name = repeated.min() {
      throw ErrorResponse(.badRequest, "malformedRequest", "\(name) is in the query twice. Give it once.")
    }
    return values
  }

  private func body(of request: Request, _ allowed: AllowedJSON) async throws -> Body {
    if let type = Body.self as? any RawContent.Type, let body = type.init() as? Body { return body }
    if endpoint.hasBody { return try await request.decoded(Body.self, knowing: allowed, upTo: bodyLimit) }
    if endpoint.method != .get && endpoint.method != .delete { try await request.expectNoMembers() }
    return try JSONDecoder().decode(Body.self, from: Data("{}".utf8))
  }
}

/// Decodes an object from texts: the parameters of a path or of a query.
private struct TextMembers: Sendable {
  let members: [JSONSchema.Member]
  /// The allowed values of each member that is an enumeration.
  let values: [String: [String]]
  private let allowed: AllowedJSON

  init(members: [JSONSchema.Member], components: SchemaComponents) {
    self.members = members
    values = members.reduce(into: [:]) { values, member in
      values[member.name] = components.resolved(member.schema).values.compactMap { value in
        if case .string(let text) = value { text } else { nil }
      }
    }
    allowed = .object(
      Dictionary(
        members.map { ($0.name, AllowedJSON($0.schema, in: components)) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Decodes the members from their texts.
  ///
  /// - Throws: ``ErrorResponse`` if a text is not valid.
  func decoded<Value: Decodable>(_ texts: [String: String]) throws -> Value {
    var json: [String] = []
    for member in members {
      guard let text = texts[member.name] else { continue }
      json.append("\(JSONText.string(member.name)):\(try value(of: text, member))")
    }
    do {
      return try JSONDecoder().decode(Value.self, from: Data("{\(json.joined(separator: ","))}".utf8))
    } catch let error as DecodingError {
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
        guard let values = values[name], !values.isEmpty, !values.contains(text) else { continue }
        throw refusal("\(name) is one of \(values.joined(separator: ", ")); it is \(text).")
      }
      throw refusal(allowed.fault(in: texts, checksValues: true) ?? error.explanation)
    }
  }

  /// Returns the value of a member as JSON.
  private func value(of text: String, _ member: JSONSchema.Member) throws(ErrorResponse) -> String {
    let (name, schema) = (member.name, member.schema)
    switch schema.shape {
    case .integer, .integer64:
      let range = (schema.note.minimum ?? .min)...(schema.note.maximum ?? .max)
      guard let number = Int64(text), range.contains(number) else {
        throw refusal("\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
      }
      return String(number)
    case .boolean:
      guard text == "true" || text == "false" else { throw refusal("\(name) is true or false; it is \(text).") }
      return text
    default: return JSONText.string(text)
    }
  }

  private func refusal(_ message: String) -> ErrorResponse { ErrorResponse(.badRequest, "malformedRequest", message) }
}

extension RouterMethods {
  /// Adds an endpoint.
  ///
  /// - Parameters:
  ///   - bodyLimit: the maximum size of the body, in bytes.
  ///   - respond: returns the response. It converts errors of the domain to refusals.
  package func add<Path, Query, Body, Answer>(
    _ endpoint: Endpoint<Path, Query, Body, Answer>, bodyLimit: Int = BodyLimit.form,
    respond: @escaping @Sendable (EndpointInput<Path, Query, Body>) async throws -> Response
  ) {
    let reader = EndpointReader(endpoint, bodyLimit: bodyLimit)
    on(RouterPath(endpoint.path), method: endpoint.method.http) { request, context in
      try await respond(try await reader.input(of: request, in: context))
    }
  }
}

extension Endpoint {
  /// Returns a response with an answer: JSON, or no body.
  package func response(with answer: Answer) throws -> Response {
    let status = HTTPResponse.Status(code: status)
    return answer is NoContent ? Response(status: status) : try .json(answer, status: status)
  }
}

extension EndpointMethod {
  package var http: HTTPRequest.Method {
    switch self {
    case .get: .get
    case .head: .head
    case .post: .post
    case .put: .put
    case .patch: .patch
    case .delete: .delete
    }
  }
}
