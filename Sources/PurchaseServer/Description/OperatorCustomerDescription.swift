import WebSupport

/// The OpenAPI description of the operator's endpoints for customers.
enum OperatorCustomerDescription: DescribedSubject {
  static let paths = """
    "/v1/operator/customers": {
      "get": {
        "operationId": "findCustomers",
        "summary": "Finds customers by subject or by transaction, one of the two.",
        "security": [{"operator": []}],
        "parameters": [
          {"name": "subject", "in": "query", "description": "Issuer and subject, with a space between.", "schema": {"type": "string"}},
          {"name": "transactionId", "in": "query", "schema": {"$ref": "#/components/schemas/TransactionId"}}
        ],
        "responses": {
          "200": {"description": "Their ids", "content": {"application/json": {"schema": {"type": "object", "required": ["customers"], "properties": {"customers": {"type": "array", "items": {"$ref": "#/components/schemas/CustomerId"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/customers/{customer}": {
      "parameters": [{"$ref": "#/components/parameters/customer"}],
      "get": {
        "operationId": "customerOverview",
        "summary": "Everything about a customer.",
        "security": [{"operator": []}],
        "responses": {
          "200": {"description": "Everything", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomerExport"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/apps/{bundleId}/customers/{customer}/grants": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/customer"}],
      "post": {
        "operationId": "grant",
        "summary": "Gives what was not bought, or takes credits. The same key again gives nothing more.",
        "security": [{"operator": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/GrantOrder"}}}},
        "responses": {
          "204": {"description": "Done"},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/apps/{bundleId}/customers/{customer}/revocations": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/customer"}],
      "post": {
        "operationId": "revoke",
        "summary": "Takes a product back, for good.",
        "security": [{"operator": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RevocationOrder"}}}},
        "responses": {
          "200": {"description": "Whether there was anything to take", "content": {"application/json": {"schema": {"type": "object", "required": ["wasThere"], "properties": {"wasThere": {"type": "boolean"}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/apps/{bundleId}/customers/{customer}/moves": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/customer"}],
      "post": {
        "operationId": "movePurchase",
        "summary": "Gives what somebody else has bought to this customer. Consumables do not move.",
        "security": [{"operator": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MoveOrder"}}}},
        "responses": {
          "200": {"description": "Whether it moved now; false where it was there already", "content": {"application/json": {"schema": {"type": "object", "required": ["hasMoved"], "properties": {"hasMoved": {"type": "boolean"}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/apps/{bundleId}/customers/{customer}/lifts": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/customer"}],
      "post": {
        "operationId": "liftBlock",
        "summary": "Lets a customer spend again after a refund had blocked it.",
        "security": [{"operator": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LiftOrder"}}}},
        "responses": {
          "200": {"description": "Whether it was blocked", "content": {"application/json": {"schema": {"type": "object", "required": ["wasBlocked"], "properties": {"wasBlocked": {"type": "boolean"}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "GrantOrder": {
      "type": "object",
      "description": "Exactly one of credits (an amount below 0 takes) and productId; accessUntil goes with productId.",
      "required": ["key", "reason"],
      "properties": {
        "key": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Names the grant among those of the customer."},
        "reason": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "For the audit log; at most 1,000 bytes."},
        "credits": {"$ref": "#/components/schemas/Credits"},
        "productId": {"type": "string"},
        "accessUntil": {"$ref": "#/components/schemas/Date"}
      }
    },
    "RevocationOrder": {
      "type": "object",
      "required": ["productId", "source", "reason"],
      "properties": {
        "productId": {"type": "string"},
        "source": {"type": "string", "description": "The entitlement's."},
        "reason": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "For the audit log; at most 1,000 bytes."}
      }
    },
    "MoveOrder": {
      "type": "object",
      "required": ["transactionId", "environment", "reason"],
      "properties": {
        "transactionId": {"$ref": "#/components/schemas/TransactionId"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "reason": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "For the audit log; at most 1,000 bytes."}
      }
    },
    "LiftOrder": {
      "type": "object",
      "required": ["unit", "reason"],
      "properties": {
        "unit": {"$ref": "#/components/schemas/CreditUnit"},
        "reason": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "For the audit log; at most 1,000 bytes."}
      }
    }
    """
}
