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
      let schema: JSONSchema
    }

    package struct RequestBody: Encodable {
      let required = true
      let content: [String: Content]

      init(schema: JSONSchema) { content = ["application/json": Content(schema: schema)] }
    }

    package struct Response: Encodable {
      let reference: String?
      let description: String?
      let content: [String: Content]?

      private enum CodingKeys: String, CodingKey {
        case reference = "$ref"
        case description, content
      }

      init(description: String, schema: JSONSchema) {
        reference = nil
        self.description = description
        content = ["application/json": Content(schema: schema)]
      }

      init(reference name: String) {
        reference = "#/components/responses/\(name)"
        description = nil
        content = nil
      }
    }

    let operationId: String
    let summary: String
    let parameters: [Parameter]?
    let requestBody: RequestBody?
    let responses: [String: Response]
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

    init(_ member: JSONSchema.Member, isInPath: Bool) {
      name = member.name
      location = isInPath ? "path" : "query"
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

  /// The name of the response that every refused request gets.
  static let errorResponse = "Refused"

  private let openapi = "3.1.0"
  private let info: Info
  private let servers: [Server]
  private let security: [[String: [String]]]
  private let paths: [String: [String: Operation]]
  private let components: Components

  /// - Parameters:
  ///   - basePath: of all endpoints.
  ///   - token: when a bearer token is needed.
  ///   - error: the body of a refusal.
  /// - Throws: ``SchemaError``.
  package init(
    title: String, description: String, basePath: String, token: String, error: (some APIObject).Type,
    endpoints: [any DescribedEndpoint]
  ) throws {
    let schemas = SchemaComponents()
    var paths: [String: [String: Operation]] = [:]
    for endpoint in endpoints {
      paths[endpoint.path, default: [:]][endpoint.method.rawValue] = try endpoint.operation(schemas)
    }
    let refusal = Operation.Response(
      description: "Why the request was refused, and what to do", schema: try schemas.schema(of: error))
    info = Info(title: title, description: description)
    servers = [Server(url: basePath)]
    security = [[:], ["token": []]]
    self.paths = paths
    components = Components(
      securitySchemes: ["token": SecurityScheme(description: token)], responses: [Self.errorResponse: refusal],
      schemas: schemas.schemas)
  }

  /// The document as JSON, with sorted names.
  package func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
