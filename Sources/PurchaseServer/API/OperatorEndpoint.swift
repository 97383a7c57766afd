import APIDescription
import PurchaseLedger

/// An endpoint for operators, with the role that it needs. ``OperatorAuthentication`` checks the role. Only an endpoint of this
/// type can be served to operators.
struct OperatorEndpoint<Path: APIObject, Query: APIObject, Body: Codable & Sendable, Answer: Codable & Sendable>:
  DescribedEndpoint, EndpointWithRole
{
  let role: OperatorRole
  let endpoint: Endpoint<Path, Query, Body, Answer>

  var method: EndpointMethod { endpoint.method }
  var path: String { endpoint.path }
  var name: String { endpoint.name }

  /// - Parameters:
  ///   - role: the least role of a key that may use the endpoint.
  ///   - name: the `operationId`, unique in its API.
  ///   - path: the path, with the members of `Path` in braces.
  init(
    _ method: EndpointMethod, _ path: String, role: OperatorRole, name: String, summary: String, status: Int = 200,
    answers answerDescription: String, otherResponses: [OtherResponse] = []
  ) {
    self.role = role
    endpoint = Endpoint(
      method, path, name: name, summary: "\(summary) Role: \(role.rawValue).", status: status,
      answers: answerDescription,
      otherResponses: otherResponses + [
        OtherResponse(
          403, "roleRequired: the key has not the role \(role.rawValue)", .json(RoleRequiredView.self))
      ], callers: EndpointCallers(schemes: ["operator"]))
  }

  func operation(_ components: SchemaComponents, error: JSONSchema) throws -> OpenAPIDocument.Operation {
    try endpoint.operation(components, error: error)
  }
}

/// An ``OperatorEndpoint`` whose types are erased.
protocol EndpointWithRole: DescribedEndpoint {
  var role: OperatorRole { get }
}

/// The body of the response to an operator whose key has not the role that an endpoint needs.
struct RoleRequiredView: APIObject {
  let error: RefusalView
  /// The role that the endpoint needs.
  let neededRole: OperatorRole

  static let schemaName = "RoleRequired"
}

extension OperatorRole: APIValue {
  package static var componentName: String? { "OperatorRole" }
}
