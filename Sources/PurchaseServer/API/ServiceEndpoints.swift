import APIDescription
import Foundation

/// The endpoints of the purchase server, grouped by subject. Each group is declared in the file of its types.
enum ServiceEndpoints {
  /// The callers of the operators' endpoints. They authenticate with an operator's key.
  static let operators = EndpointCallers(schemes: ["operator"])

  static let all: [any DescribedEndpoint] =
    catalog + customers + redemptions + credits + deliveries + publishing + care + reverification + keys + monitoring

  /// The OpenAPI description, served at `/openapi.json`.
  ///
  /// - Throws: `SchemaError`.
  static func openAPI() throws -> Data {
    try OpenAPIDocument(
      title: "Purchase server",
      description:
        """
        Redeems proofs of purchase, keeps credits and entitlements, delivers content. Dates are UNIX milliseconds. In a request, a member \
        that is null is the same as one that is missing.
        """,
      basePath: "/",
      tokens: [
        "customer": "An installation's token (customer_…), or a JWT of the operator's identity system.",
        "operator": "An operator's key (operator_…).",
      ],
      callers: EndpointCallers(schemes: ["customer"]), error: RefusalBody.self, endpoints: all
    ).json()
  }
}
