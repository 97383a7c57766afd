import Foundation
import WebSupport
import HTTPTypes
import Hummingbird

/// The server's OpenAPI description, served at `/openapi.json`.
///
/// It is written by hand, in one part for each subject. A test compares its paths with the routes, and its schemas with actual
/// responses.
enum ServiceDescription {
  /// The parts, in a useful order for readers.
  static var subjects: [any DescribedSubject.Type] {
    [
      CatalogDescription.self, CustomerDescription.self, RedemptionDescription.self, CreditDescription.self,
      DeliveryDescription.self, OperatorCatalogDescription.self, OperatorCustomerDescription.self,
      OperatorKeyDescription.self, WatchDescription.self,
    ]
  }

  static var response: Response { .json(Data(json.utf8)) }

  static let json = """
    {
      "openapi": "3.1.0",
      "info": {
        "title": "Purchase server",
        "version": "1",
        "description": "Redeems proofs of purchase, keeps credits and entitlements, delivers content. Dates are UNIX milliseconds. In what is sent, null stands for what is not there."
      },
      "security": [{"customer": []}],
      "paths": {
        \(DescribedMembers.joined(subjects.map { $0.paths }, indentation: 4))
      },
      "components": {
        "securitySchemes": {
          "customer": {"type": "http", "scheme": "bearer", "description": "An installation's token (customer_…), or a JWT of the operator's identity system."},
          "operator": {"type": "http", "scheme": "bearer", "description": "An operator's key (operator_…)."}
        },
        "parameters": {
          \(DescribedMembers.joined([parameters], indentation: 6))
        },
        "responses": {
          \(DescribedMembers.joined([responses], indentation: 6))
        },
        "schemas": {
          \(DescribedMembers.joined([sharedSchemas] + subjects.map { $0.schemas }, indentation: 6))
        }
      }
    }

    """

  private static let parameters = """
    "bundleId": {"name": "bundleId", "in": "path", "required": true, "description": "The app.", "schema": {"type": "string", "minLength": 1}, "example": "com.example.reader"},
    "unit": {"name": "unit", "in": "path", "required": true, "description": "What the credits are of.", "schema": {"$ref": "#/components/schemas/CreditUnit"}},
    "productId": {"name": "productId", "in": "path", "required": true, "schema": {"type": "string", "minLength": 1, "maxLength": 255}},
    "customer": {"name": "customer", "in": "path", "required": true, "schema": {"$ref": "#/components/schemas/CustomerId"}},
    "limit": {"name": "limit", "in": "query", "description": "How many on a page.", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}}
    """

  private static let responses = """
    "Refused": {"description": "Why not, and what to do", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}}
    """

  /// Components that several parts refer to.
  private static let sharedSchemas = """
    "Refused": {"type": "object", "required": ["error"], "properties": {"error": {"$ref": "#/components/schemas/Refusal"}}},
    "Refusal": {"type": "object", "required": ["code", "message"], "properties": {
      "code": {"type": "string", "description": "A word for programs."},
      "message": {"type": "string", "description": "For people: what is wrong, and what to do."}
    }},
    "Date": {"type": "integer", "format": "int64", "description": "UNIX milliseconds."},
    "CustomerId": {"type": "string", "format": "uuid", "description": "Apps set it as applicationUsername and appAccountToken."},
    "TransactionId": {"type": "string", "pattern": "^[0-9]{1,20}$"},
    "Environment": {"type": "string", "enum": ["Production", "Sandbox"]},
    "ProductType": {"type": "string", "enum": ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"]},
    "CreditUnit": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$", "example": "coins"},
    "Credits": {"type": "object", "required": ["unit", "amount"], "properties": {
      "unit": {"$ref": "#/components/schemas/CreditUnit"},
      "amount": {"type": "integer", "format": "int64"}
    }},
    "SHA256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    """
}
