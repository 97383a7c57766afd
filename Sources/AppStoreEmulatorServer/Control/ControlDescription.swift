import Foundation
import HTTPDoors

/// The OpenAPI description of the control door, served at `/control/openapi.json`.
///
/// It is written by hand, a part for each subject; a test compares its paths with the routes and its schemas with what is
/// sent.
enum ControlDescription {
  /// In the order in which a reader meets them.
  static var subjects: [any DescribedSubject.Type] {
    [
      AppDescription.self, CustomerDescription.self, InstallationDescription.self, PurchaseDescription.self,
      RefundDescription.self, ApprovalDescription.self, ClockDescription.self, LifecycleDescription.self,
      FaultDescription.self, RequestDescription.self,
    ]
  }

  static let json = """
    {
      "openapi": "3.1.0",
      "info": {
        "title": "App Store emulator: control",
        "version": "1",
        "description": "Steers an emulated App Store. Dates are UNIX milliseconds, amounts are thousandths of the currency's unit."
      },
      "servers": [{"url": "/control/v1"}],
      "security": [{}, {"token": []}],
      "paths": {
        \(DescribedMembers.joined(subjects.map { $0.paths }, indentation: 4))
      },
      "components": {
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Needed where the emulator was started with --control-token."}},
        "parameters": {
          \(DescribedMembers.joined([parameters], indentation: 6))
        },
        "responses": {
          "Refused": {"description": "Why not, and what to do", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}}
        },
        "schemas": {
          \(DescribedMembers.joined([sharedSchemas] + subjects.map { $0.schemas }, indentation: 6))
        }
      }
    }

    """

  private static let parameters = """
    "bundleId": {"name": "bundleId", "in": "query", "schema": {"type": "string"}},
    "environment": {"name": "environment", "in": "query", "schema": {"type": "string", "enum": ["production", "sandbox"]}},
    "customer": {"name": "customer", "in": "query", "schema": {"type": "string"}},
    "productId": {"name": "productId", "in": "query", "schema": {"type": "string"}},
    "state": {"name": "state", "in": "query", "description": "What has become of the transaction.", "schema": {"type": "string", "enum": ["unfinished", "finished", "refunded"]}},
    "search": {"name": "search", "in": "query", "description": "Text somewhere in the transaction's ids, its product's id, its customer's name, its applicationUsername or appAccountToken; upper and lower case are alike. Or the whole id of a transaction under which it was delivered once more.", "schema": {"type": "string"}},
    "before": {"name": "before", "in": "query", "description": "Only lines before the one of this number: what `next` of the page before said.", "schema": {"type": "integer", "format": "int64", "minimum": 0}},
    "limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 1000}}
    """

  /// What more than one subject refers to.
  private static let sharedSchemas = """
    "Refused": {"type": "object", "required": ["error"], "properties": {"error": {"type": "object", "required": ["code", "message"],
      "properties": {"code": {"type": "string"}, "message": {"type": "string"}}}}},
    "Environment": {"type": "string", "enum": ["Production", "Sandbox"]}
    """
}
