import HTTPDoors

/// Payments that wait for approval, as the control door's description has it.
enum ApprovalDescription: DescribedSubject {
  static let paths = """
    "/approvals": {
      "get": {
        "operationId": "approvals",
        "summary": "The payments that wait for approval (Ask to Buy), oldest first.",
        "responses": {
          "200": {"description": "The payments", "content": {"application/json": {"schema": {"type": "object", "required": ["approvals"],
              "properties": {"approvals": {"type": "array", "items": {"$ref": "#/components/schemas/Approval"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/approvals/{installationId}/{paymentId}": {
      "parameters": [
        {"name": "installationId", "in": "path", "required": true, "schema": {"type": "string"}},
        {"name": "paymentId", "in": "path", "required": true, "schema": {"type": "string"}}
      ],
      "post": {
        "operationId": "decideApproval",
        "summary": "Approves or declines a payment that waits. The device hears of it.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ApprovalDecision"}}}},
        "responses": {
          "200": {"description": "What became of the payment", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ApprovalOutcome"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Approval": {
      "type": "object",
      "required": ["installationId", "paymentId", "productId", "quantity", "customer", "total", "currency", "date"],
      "properties": {
        "installationId": {"type": "string"},
        "paymentId": {"type": "string"},
        "productId": {"type": "string"},
        "quantity": {"type": "integer"},
        "applicationUsername": {"type": "string"},
        "customer": {"type": "string"},
        "total": {"type": "integer", "format": "int64", "description": "What is charged if it is approved."},
        "currency": {"type": "string"},
        "date": {"type": "integer", "format": "int64", "description": "When it was confirmed."}
      }
    },
    "ApprovalDecision": {
      "type": "object",
      "required": ["decision"],
      "properties": {"decision": {"type": "string", "enum": ["approve", "decline"]}}
    },
    "ApprovalOutcome": {
      "type": "object",
      "properties": {
        "transaction": {"$ref": "#/components/schemas/Transaction",
          "description": "Missing where nothing was charged: it was declined, the product is no longer for sale, or the customer's bank does not pay."}
      }
    }
    """
}
