/// An endpoint of an HTTP API, with the types of its requests and responses.
///
/// Servers use it for routing, clients for calls, and ``OpenAPIDocument`` for the description. `Body` and `Answer` are
/// JSON, unless they are a ``RawContent``.
package struct Endpoint<Path: APIObject, Query: APIObject, Body: Codable & Sendable, Answer: Codable & Sendable>:
  DescribedEndpoint
{
  /// The properties, behind a reference whose type is not generic. Copies of the properties themselves would need the
  /// metadata of each endpoint's type. The runtime searches for four conformances to make it, which took a tenth of a
  /// server's start.
  private let properties: EndpointProperties

  package var method: EndpointMethod { properties.method }
  package var path: String { properties.path }
  package var name: String { properties.name }
  package var summary: String { properties.summary }
  /// The HTTP status of a successful response.
  package var status: Int { properties.status }
  /// A short description of a successful response.
  package var answerDescription: String { properties.answerDescription }
  /// Responses with other statuses that clients should handle. Every response that is not listed is a refusal.
  package var otherResponses: [OtherResponse] { properties.otherResponses }
  /// The names of the optional header fields of a request.
  package var headers: [String] { properties.headers }
  /// The callers that may use the endpoint; nil for the API's default.
  package var callers: EndpointCallers? { properties.callers }

  /// - Parameters:
  ///   - name: the `operationId`, unique in its API.
  ///   - path: the path below the API's base path, with the members of `Path` in braces.
  package init(
    _ method: EndpointMethod, _ path: String, name: String, summary: String, status: Int = 200,
    answers answerDescription: String, otherResponses: [OtherResponse] = [], headers: [String] = [],
    callers: EndpointCallers? = nil
  ) {
    properties = EndpointProperties(
      method: method, path: path, name: name, summary: summary, status: status, answerDescription: answerDescription,
      otherResponses: otherResponses, headers: headers, callers: callers)
  }

  /// Whether a request has a JSON body.
  package var hasBody: Bool { Body.self != NoMembers.self && !(Body.self is any RawContent.Type) }
}

/// The properties of an ``Endpoint``.
private final class EndpointProperties: Sendable {
  let method: EndpointMethod
  let path: String
  let name: String
  let summary: String
  let status: Int
  let answerDescription: String
  let otherResponses: [OtherResponse]
  let headers: [String]
  let callers: EndpointCallers?

  init(
    method: EndpointMethod, path: String, name: String, summary: String, status: Int, answerDescription: String,
    otherResponses: [OtherResponse], headers: [String], callers: EndpointCallers?
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    self.status = status
    self.answerDescription = answerDescription
    self.otherResponses = otherResponses
    self.headers = headers
    self.callers = callers
  }
}

package enum EndpointMethod: String, Sendable {
  case get, head, post, put, patch, delete
}

/// A body that is not JSON. The endpoint's handler reads or writes it.
package protocol RawContent: Codable, Sendable {
  init()
  /// The media type; nil if there is no body.
  static var mediaType: String? { get }
}

/// An empty body.
package struct NoContent: RawContent {
  package static let mediaType: String? = nil
  package init() {}
}

/// A body of arbitrary bytes.
package struct BinaryContent: RawContent {
  package static let mediaType: String? = "application/octet-stream"
  package init() {}
}

/// A body of plain text.
package struct PlainText: RawContent {
  package static let mediaType: String? = "text/plain"
  package init() {}
}

/// One JSON object in each line.
package struct JSONLines: RawContent {
  package static let mediaType: String? = "application/x-ndjson"
  package init() {}
}

/// A response with a status other than the endpoint's usual one.
package struct OtherResponse: Sendable {
  package enum Content: Sendable {
    /// An empty body.
    case none
    /// The API's error, as JSON.
    case error
    /// JSON of this type.
    case json(any APIObject.Type)
    case raw(any RawContent.Type)
  }

  package let status: Int
  package let description: String
  package let content: Content

  package init(_ status: Int, _ description: String, _ content: Content = .error) {
    self.status = status
    self.description = description
    self.content = content
  }
}

/// The callers that may use an endpoint, named by the security schemes of their bearer tokens.
package struct EndpointCallers: Sendable {
  /// The names of the security schemes. A token of any of them is sufficient.
  package let schemes: [String]
  /// Whether a request without a token may be accepted.
  package let areOptional: Bool

  /// All callers. No token is needed.
  package static let everyone = EndpointCallers(schemes: [], areOptional: false)

  package init(schemes: [String], areOptional: Bool = false) {
    self.schemes = schemes
    self.areOptional = areOptional
  }
}

/// An endpoint whose types are erased.
package protocol DescribedEndpoint: Sendable {
  var method: EndpointMethod { get }
  var path: String { get }
  var name: String { get }
  /// Returns the endpoint's OpenAPI description, and adds the schemas it needs to `components`.
  ///
  /// - Parameter error: the schema of the API's error.
  func operation(_ components: SchemaComponents, error: JSONSchema) throws -> OpenAPIDocument.Operation
}

extension Endpoint {
  package func operation(
    _ components: SchemaComponents, error: JSONSchema
  ) throws -> OpenAPIDocument.Operation {
    let parameters =
      try components.members(of: Path.self).map { OpenAPIDocument.Parameter($0, in: .path) }
      + components.members(of: Query.self).map { OpenAPIDocument.Parameter($0, in: .query) }
      + headers.map { OpenAPIDocument.Parameter(.init($0, JSONSchema(.string), isRequired: false), in: .header) }
    var responses: [String: OpenAPIDocument.Operation.Response] = [
      "\(status)": .init(
        description: answerDescription, content: try Self.content(of: Answer.self, components)),
      "default": .init(reference: OpenAPIDocument.errorResponse),
    ]
    for other in otherResponses {
      let content: [String: OpenAPIDocument.Operation.Content]? =
        switch other.content {
        case .none: nil
        case .error: OpenAPIDocument.Operation.content(of: error)
        case .json(let type): OpenAPIDocument.Operation.content(of: try components.schema(ofObject: type))
        case .raw(let type): OpenAPIDocument.Operation.content(of: type)
        }
      responses["\(other.status)"] = .init(description: other.description, content: content)
    }
    return OpenAPIDocument.Operation(
      operationId: name, summary: summary, security: callers.map(OpenAPIDocument.requirements),
      parameters: parameters.isEmpty ? nil : parameters,
      requestBody: try Self.requestBody(components), responses: responses)
  }

  /// Returns the description of the request's body; nil if there is none.
  private static func requestBody(
    _ components: SchemaComponents
  ) throws -> OpenAPIDocument.Operation.RequestBody? {
    guard Body.self != NoMembers.self, let content = try content(of: Body.self, components) else { return nil }
    return .init(required: try needsBody(components), content: content)
  }

  /// Whether a request without a body is refused. If all members of the body are optional, the body may be omitted.
  private static func needsBody(_ components: SchemaComponents) throws -> Bool {
    if Body.self is any RawContent.Type { return true }
    let schema = components.resolved(try components.schema(of: Body.self))
    guard case .object(let members) = schema.shape else { return true }
    return members.contains(where: \.isRequired)
  }

  /// Returns the content of a body, by media type; nil for an empty body.
  private static func content<Value: Codable>(
    of type: Value.Type, _ components: SchemaComponents
  ) throws -> [String: OpenAPIDocument.Operation.Content]? {
    if let raw = type as? any RawContent.Type { return OpenAPIDocument.Operation.content(of: raw) }
    return OpenAPIDocument.Operation.content(of: try components.schema(of: type))
  }
}
