import HTTPDoors

/// Refunds, as the control door's description has them.
enum RefundDescription: DescribedSubject {
  static let paths = """
    "/refunds": {
      "parameters": [
        {"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/environment"},
        {"$ref": "#/components/parameters/customer"}, {"$ref": "#/components/parameters/productId"},
        {"$ref": "#/components/parameters/state"}, {"$ref": "#/components/parameters/search"},
        {"$ref": "#/components/parameters/before"}, {"$ref": "#/components/parameters/limit"}
      ],
      "get": {
        "operationId": "refunds",
        "summary": "What customers were given back, newest first.",
        "responses": {
          "200": {"description": "The refunds", "content": {"application/json": {"schema": {"type": "object", "required": ["refunds"],
            "properties": {"refunds": {"type": "array", "items": {"$ref": "#/components/schemas/Refund"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/transactions/{transactionId}/refund": {
      "parameters": [{"name": "transactionId", "in": "path", "required": true, "schema": {"type": "string"}}],
      "post": {
        "operationId": "refund",
        "summary": "Gives the money back and takes back what was bought, also from the family. Devices are told.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RefundOrder"}}}},
        "responses": {
          "200": {"description": "The transaction", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Transaction"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "delete": {
        "operationId": "reverseRefund",
        "summary": "Takes a refund back: the customer pays after all, and has what was bought again.",
        "responses": {
          "200": {"description": "The transaction", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Transaction"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "RefundOrder": {
      "type": "object",
      "properties": {
        "reason": {"type": "integer", "enum": [0, 1], "default": 0, "description": "1: an issue with the app; 0: another."},
        "percentage": {"type": "integer", "minimum": 1, "maximum": 100000, "default": 100000, "description": "The share of the price, in thousandths of a percent."}
      }
    },
    "Refund": {
      "type": "object",
      "required": ["transactionId", "bundleId", "environment", "customer", "productId", "amount", "currency", "date"],
      "properties": {
        "transactionId": {"type": "string"},
        "bundleId": {"type": "string"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "customer": {"type": "string"},
        "productId": {"type": "string"},
        "amount": {"type": "integer", "format": "int64", "description": "Negative for a refund that was taken back."},
        "currency": {"type": "string"},
        "date": {"type": "integer", "format": "int64"}
      }
    }
    """
}
