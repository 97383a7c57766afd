import WebSupport

/// The OpenAPI description of customers.
enum CustomerDescription: DescribedSubject {
  static let paths = """
    "/v1/apps/{bundleId}/installations": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "post": {
        "operationId": "registerInstallation",
        "summary": "Makes an anonymous customer for an installation. Counts for ten requests.",
        "security": [],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/InstallationOrder"}}}},
        "responses": {
          "201": {"description": "The customer, and a token that is told once", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Installation"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/apps/{bundleId}/installations/current": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "delete": {
        "operationId": "signOut",
        "summary": "Takes the token that is sent out of use, for good.",
        "responses": {
          "204": {"description": "Done"},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/apps/{bundleId}/customer": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "get": {
        "operationId": "customer",
        "summary": "Who one is.",
        "responses": {
          "200": {"description": "The customer", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Customer"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "delete": {
        "operationId": "eraseCustomer",
        "summary": "Forgets the customer: name, tokens, devices and proofs go, what they had ends.",
        "responses": {
          "204": {"description": "Done"},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/apps/{bundleId}/customer/export": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "get": {
        "operationId": "exportCustomer",
        "summary": "Everything that is known about the customer, in all apps.",
        "responses": {
          "200": {"description": "Everything", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomerExport"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "InstallationOrder": {
      "type": "object",
      "properties": {
        "device": {"type": ["string", "null"], "description": "What the store issues receipts for: identifierForVendor (a UUID), or a Mac's address."}
      }
    },
    "Installation": {
      "type": "object",
      "required": ["customer", "token"],
      "properties": {
        "customer": {"$ref": "#/components/schemas/CustomerId"},
        "token": {"type": "string"}
      }
    },
    "Customer": {
      "type": "object",
      "required": ["customer", "isIdentified"],
      "properties": {
        "customer": {"$ref": "#/components/schemas/CustomerId"},
        "isIdentified": {"type": "boolean", "description": "Whether the identity system names the customer."}
      }
    },
    "CustomerExport": {
      "type": "object",
      "required": ["customer", "created", "installations", "purchases", "entitlements", "accounts"],
      "properties": {
        "customer": {"$ref": "#/components/schemas/CustomerId"},
        "subject": {"type": "string", "description": "Issuer and subject of the identity system, with a space between."},
        "created": {"$ref": "#/components/schemas/Date"},
        "installations": {"type": "array", "items": {"type": "object", "required": ["app", "issued"], "properties": {"app": {"type": "string"}, "device": {"type": "string"}, "issued": {"$ref": "#/components/schemas/Date"}, "revoked": {"$ref": "#/components/schemas/Date"}}}},
        "purchases": {"type": "array", "items": {"$ref": "#/components/schemas/ExportedPurchase"}},
        "entitlements": {"type": "array", "items": {"type": "object", "required": ["app", "entitlement"], "properties": {"app": {"type": "string"}, "entitlement": {"$ref": "#/components/schemas/ExportedEntitlement"}}}},
        "accounts": {"type": "array", "items": {"type": "object", "required": ["app", "unit", "balance", "movements"], "properties": {"app": {"type": "string"}, "unit": {"$ref": "#/components/schemas/CreditUnit"}, "balance": {"type": "integer", "format": "int64"}, "movements": {"type": "array", "items": {"$ref": "#/components/schemas/CreditMovement"}}}}}
      }
    },
    "ExportedPurchase": {
      "type": "object",
      "required": ["app", "environment", "claim", "product", "quantity", "purchased", "claimed"],
      "properties": {
        "app": {"type": "string"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "claim": {"$ref": "#/components/schemas/TransactionId"},
        "product": {"type": "string"},
        "quantity": {"type": "integer", "format": "int64"},
        "purchased": {"$ref": "#/components/schemas/Date"},
        "claimed": {"$ref": "#/components/schemas/Date"}
      }
    },
    "ExportedEntitlement": {
      "type": "object",
      "required": ["product", "source", "origin", "begun"],
      "properties": {
        "product": {"type": "string"},
        "source": {"type": "string"},
        "origin": {"$ref": "#/components/schemas/EntitlementOrigin"},
        "begun": {"$ref": "#/components/schemas/Date"},
        "accessUntil": {"$ref": "#/components/schemas/Date"},
        "ended": {"$ref": "#/components/schemas/Date"},
        "endReason": {"$ref": "#/components/schemas/EntitlementEnd"}
      }
    }
    """
}
