/// An endpoint of a JSON API over HTTP: what is sent, and what is answered.
///
/// Servers route by it, clients call by it, and ``OpenAPIDocument`` describes it.
package struct Endpoint<Path: APIObject, Query: APIObject, Body: Codable & Sendable, Answer: Codable & Sendable>:
  DescribedEndpoint
{
  package let method: EndpointMethod
  package let path: String
  package let name: String
  package let summary: String
  /// The HTTP status of an answer.
  package let status: Int
  /// What is answered, in a few words.
  package let answerDescription: String

  /// - Parameters:
  ///   - name: the `operationId`, unique in its API.
  ///   - path: below the API's base path; a member of `Path` stands in braces.
  package init(
    _ method: EndpointMethod, _ path: String, name: String, summary: String, status: Int = 200,
    answers answerDescription: String
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    self.status = status
    self.answerDescription = answerDescription
  }

  package var hasBody: Bool { Body.self != NoMembers.self }
}

package enum EndpointMethod: String, Sendable {
  case get, post, put, patch, delete
}

/// An endpoint without its types.
package protocol DescribedEndpoint: Sendable {
  var method: EndpointMethod { get }
  var path: String { get }
  var name: String { get }
  /// Returns its description, and adds the schemas it needs to `components`.
  func operation(_ components: SchemaComponents) throws -> OpenAPIDocument.Operation
}

extension Endpoint {
  package func operation(_ components: SchemaComponents) throws -> OpenAPIDocument.Operation {
    let parameters =
      try components.members(of: Path.self).map { OpenAPIDocument.Parameter($0, isInPath: true) }
      + components.members(of: Query.self).map { OpenAPIDocument.Parameter($0, isInPath: false) }
    return OpenAPIDocument.Operation(
      operationId: name, summary: summary, parameters: parameters.isEmpty ? nil : parameters,
      requestBody: hasBody ? .init(schema: try components.schema(of: Body.self)) : nil,
      responses: [
        "\(status)": .init(description: answerDescription, schema: try components.schema(of: Answer.self)),
        "default": .init(reference: OpenAPIDocument.errorResponse),
      ])
  }
}
