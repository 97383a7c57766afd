import APIDescription
import Foundation

/// The endpoints of the purchase server, grouped by subject. Each group is declared in the file of its types.
enum ServiceEndpoints {
  static let all: [any DescribedEndpoint] =
    catalog + customers + customerStates + redemptions + credits + deliveries + notifications + consumption + publishing
    + care
    + summary + changes + charts + webhookCalls + reverification + imports + keys + operatorHealths + monitoring

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
