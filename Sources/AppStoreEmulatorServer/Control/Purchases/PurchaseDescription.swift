import HTTPDoors

/// Purchases and the books, as the control door's description has it.
enum PurchaseDescription: DescribedSubject {
  static let paths = """
    "/purchases": {
      "post": {
        "operationId": "purchase",
        "summary": "Buys on a customer's behalf, as if outside the app: charged at once, without a sheet.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Purchase"}}}},
        "responses": {
          "201": {"description": "The transaction", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Transaction"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/transactions": {
      "parameters": [
        {"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/environment"},
        {"$ref": "#/components/parameters/customer"}, {"$ref": "#/components/parameters/limit"}
      ],
      "get": {
        "operationId": "transactions",
        "summary": "The newest transactions, newest first.",
        "responses": {
          "200": {"description": "The transactions", "content": {"application/json": {"schema": {"type": "object", "required": ["transactions"],
            "properties": {"transactions": {"type": "array", "items": {"$ref": "#/components/schemas/Transaction"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/charges": {
      "parameters": [
        {"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/environment"},
        {"$ref": "#/components/parameters/customer"}, {"$ref": "#/components/parameters/limit"}
      ],
      "get": {
        "operationId": "charges",
        "summary": "What customers were charged, newest first.",
        "responses": {
          "200": {"description": "The charges", "content": {"application/json": {"schema": {"type": "object", "required": ["charges"],
            "properties": {"charges": {"type": "array", "items": {"$ref": "#/components/schemas/Charge"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Purchase": {
      "type": "object",
      "required": ["bundleId", "environment", "customer", "productId"],
      "properties": {
        "bundleId": {"type": "string"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "customer": {"type": "string"},
        "productId": {"type": "string"},
        "quantity": {"type": "integer", "minimum": 1, "maximum": 10, "default": 1},
        "applicationUsername": {"type": "string"},
        "installationId": {"type": "string", "description": "Where it is delivered; otherwise to the first that asks."}
      }
    },
    "Transaction": {
      "type": "object",
      "required": ["transactionId", "originalTransactionId", "bundleId", "environment", "productId", "type", "quantity", "price", "currency",
        "storefront", "purchaseDate", "originalPurchaseDate", "customer", "inAppOwnershipType"],
      "properties": {
        "transactionId": {"type": "string"},
        "originalTransactionId": {"type": "string"},
        "bundleId": {"type": "string"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "productId": {"type": "string"},
        "type": {"$ref": "#/components/schemas/ProductType"},
        "quantity": {"type": "integer"},
        "price": {"type": "integer", "format": "int64"},
        "currency": {"type": "string"},
        "storefront": {"type": "string"},
        "purchaseDate": {"type": "integer", "format": "int64"},
        "originalPurchaseDate": {"type": "integer", "format": "int64"},
        "appAccountToken": {"type": "string"},
        "applicationUsername": {"type": "string"},
        "customer": {"type": "string"},
        "installationId": {"type": "string"},
        "finishedDate": {"type": "integer", "format": "int64"},
        "inAppOwnershipType": {"type": "string", "enum": ["PURCHASED", "FAMILY_SHARED"]},
        "sharedTransactionId": {"type": "string", "description": "Whose purchase of the family is shared."},
        "subscriptionGroupIdentifier": {"type": "string"},
        "expiresDate": {"type": "integer", "format": "int64"},
        "revocationDate": {"type": "integer", "format": "int64"},
        "revocationReason": {"type": "integer", "enum": [0, 1]},
        "revocationType": {"type": "string", "enum": ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"]},
        "revocationPercentage": {"type": "integer", "minimum": 1, "maximum": 100000}
      }
    },
    "Charge": {
      "type": "object",
      "required": ["transactionId", "bundleId", "environment", "customer", "productId", "amount", "currency", "date"],
      "properties": {
        "transactionId": {"type": "string"},
        "bundleId": {"type": "string"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "customer": {"type": "string"},
        "productId": {"type": "string"},
        "amount": {"type": "integer", "format": "int64"},
        "currency": {"type": "string"},
        "date": {"type": "integer", "format": "int64"}
      }
    }
    """
}
