import Foundation

/// The description of an API. Implements OpenAPI 3.1.
package struct OpenAPIDocument: Encodable {
  package struct Info: Encodable {
    let title: String
    let version = "1"
    let description: String
  }

  package struct Operation: Encodable {
    package struct Content: Encodable {
      let schema: JSONSchema?
    }

    package struct RequestBody: Encodable {
      let required: Bool
      let content: [String: Content]
    }

    package struct Response: Encodable {
      let reference: String?
      let description: String?
      let content: [String: Content]?

      private enum CodingKeys: String, CodingKey {
        case reference = "$ref"
        case description, content
      }

      /// - Parameter content: the content by media type; nil for an empty body.
      init(description: String, content: [String: Content]?) {
        reference = nil
        self.description = description
        self.content = content
      }

      init(reference name: String) {
        reference = "#/components/responses/\(name)"
        description = nil
        content = nil
      }
    }

    let operationId: String
    let summary: String
    let security: [[String: [String]]]?
    let parameters: [Parameter]?
    let requestBody: RequestBody?
    let responses: [String: Response]

    static func content(of schema: JSONSchema) -> [String: Content] { ["application/json": Content(schema: schema)] }

    /// Returns the content of a body that is not JSON; nil for an empty body.
    static func content(of type: any RawContent.Type) -> [String: Content]? {
      type.mediaType.map { [$0: Content(schema: nil)] }
    }
  }

  package struct Parameter: Encodable {
    let name: String
    let location: String
    let required: Bool
    let description: String?
    let schema: JSONSchema

    private enum CodingKeys: String, CodingKey {
      case name, required, description, schema
      case location = "in"
    }

    enum Location: String {
      case path, query, header
    }

    init(_ member: JSONSchema.Member, in location: Location) {
      name = member.name
      self.location = location.rawValue
      required = member.isRequired
      description = member.schema.note.description
      var schema = member.schema
      schema.note.description = nil
      self.schema = schema
    }
  }

  private struct SecurityScheme: Encodable {
    let type = "http"
    let scheme = "bearer"
    let description: String
  }

  private struct Components: Encodable {
    let securitySchemes: [String: SecurityScheme]
    let responses: [String: Operation.Response]
    let schemas: [String: JSONSchema]
  }

  private struct Server: Encodable {
    let url: String
  }

  /// The name of the response for all refused requests.
  static let errorResponse = "Refused"

  private let openapi = "3.1.0"
  private let info: Info
  private let servers: [Server]
  private let security: [[String: [String]]]
  private let paths: [String: [String: Operation]]
  private let components: Components

  /// - Parameters:
  ///   - basePath: the base path of all endpoints.
  ///   - tokens: the descriptions of the kinds of bearer tokens, by the name of the security scheme.
  ///   - callers: the callers of endpoints that do not specify their own.
  ///   - error: the type of the body of a refusal.
  /// - Throws: ``SchemaError``.
  package init(
    title: String, description: String, basePath: String, tokens: [String: String], callers: EndpointCallers,
    error: (some APIObject).Type, endpoints: [any DescribedEndpoint]
  ) throws {
    let schemas = SchemaComponents()
    let errorSchema = try schemas.schema(of: error)
    var paths: [String: [String: Operation]] = [:]
    for endpoint in endpoints {
      paths[endpoint.path, default: [:]][endpoint.method.rawValue] = try endpoint.operation(schemas, error: errorSchema)
    }
    let refusal = Operation.Response(
      description: "Why the request was refused, and what to do", content: Operation.content(of: errorSchema))
    info = Info(title: title, description: description)
    servers = [Server(url: basePath)]
    security = Self.requirements(callers)
    self.paths = paths
    components = Components(
      securitySchemes: tokens.mapValues(SecurityScheme.init(description:)), responses: [Self.errorResponse: refusal],
      schemas: schemas.schemas)
  }

  static func requirements(_ callers: EndpointCallers) -> [[String: [String]]] {
    (callers.areOptional ? [[:]] : []) + callers.schemes.map { [$0: []] }
  }

  /// Returns the document as JSON with sorted keys.
  package func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
