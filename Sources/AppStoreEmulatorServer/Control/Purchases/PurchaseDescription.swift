import HTTPDoors

/// Purchases and the books, as the control door's description has it.
enum PurchaseDescription: DescribedSubject {
  static let paths = """
    "/purchases": {
      "post": {
        "operationId": "purchase",
        "summary": "Buys on a customer's behalf, as if outside the app: charged at once, without a sheet. Send a paymentId, so that the request can be sent again if its answer is lost.",
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
        {"$ref": "#/components/parameters/customer"}, {"$ref": "#/components/parameters/productId"},
        {"$ref": "#/components/parameters/state"}, {"$ref": "#/components/parameters/search"},
        {"$ref": "#/components/parameters/before"}, {"$ref": "#/components/parameters/limit"},
        {"name": "withTotal", "in": "query", "description": "Count all of them, too.", "schema": {"type": "boolean", "default": false}}
      ],
      "get": {
        "operationId": "transactions",
        "summary": "The newest transactions, newest first.",
        "responses": {
          "200": {"description": "The transactions", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TransactionList"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/transactions/{transactionId}": {
      "parameters": [{"name": "transactionId", "in": "path", "required": true, "description": "Its own, or one under which it was delivered once more.", "schema": {"type": "string"}}],
      "get": {
        "operationId": "transaction",
        "summary": "One transaction, what the books hold about it besides, and what happened to it.",
        "responses": {
          "200": {"description": "The transaction", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TransactionDetails"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/transactions/{transactionId}/proofs": {
      "parameters": [{"name": "transactionId", "in": "path", "required": true, "description": "Its own, or one under which it was delivered once more.", "schema": {"type": "string"}}],
      "get": {
        "operationId": "proofs",
        "summary": "A transaction's proofs as the store signs them now, also after a refund: what the app's own server is sent. Receipts are for the device where it is delivered, or else the customer's newest one with the app; for a customer without one, for a device that is made up.",
        "responses": {
          "200": {"description": "The proofs", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TransactionProofs"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/charges": {
      "parameters": [
        {"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/environment"},
        {"$ref": "#/components/parameters/customer"}, {"$ref": "#/components/parameters/productId"},
        {"$ref": "#/components/parameters/state"}, {"$ref": "#/components/parameters/search"},
        {"$ref": "#/components/parameters/before"}, {"$ref": "#/components/parameters/limit"}
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
        "installationId": {"type": "string", "description": "Where it is delivered; otherwise to the first that asks."},
        "paymentId": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Names the purchase. Sent again under the same one, it is the same purchase: charged once, and answered with the transaction as it is by then. Under one that was used for another purchase it is refused (409). Without one, each request is a purchase of its own."}
      }
    },
    "TransactionProofs": {
      "type": "object",
      "required": ["signedTransaction", "appReceipt", "legacyReceipt"],
      "properties": {
        "signedTransaction": {"type": "string", "description": "A compact JWS."},
        "appReceipt": {"type": "string", "contentEncoding": "base64", "description": "The app receipt (DER), as receipt-data of verifyReceipt. A consumable is in it until it is finished."},
        "legacyReceipt": {"type": "string", "contentEncoding": "base64", "description": "The transaction's receipt of iOS 6, as receipt-data of verifyReceipt."}
      }
    },
    "Transaction": {
      "type": "object",
      "required": ["sequence", "state", "transactionId", "originalTransactionId", "bundleId", "environment", "productId", "type", "quantity", "price", "currency",
        "storefront", "purchaseDate", "originalPurchaseDate", "customer", "inAppOwnershipType"],
      "properties": {
        "sequence": {"type": "integer", "format": "int64", "description": "Its place in the list of all transactions."},
        "state": {"type": "string", "enum": ["unfinished", "finished", "refunded"]},
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
    "TransactionList": {
      "type": "object",
      "required": ["transactions"],
      "properties": {
        "transactions": {"type": "array", "items": {"$ref": "#/components/schemas/Transaction"}},
        "next": {"type": "integer", "format": "int64", "description": "What to ask for as `before` to get the page after this one; missing on the last."},
        "total": {"type": "integer", "description": "How many there are on all pages."}
      }
    },
    "TransactionDetails": {
      "type": "object",
      "required": ["transaction", "redeliveries", "refunds", "shares", "timeline"],
      "properties": {
        "transaction": {"$ref": "#/components/schemas/Transaction"},
        "charge": {"$ref": "#/components/schemas/Charge"},
        "redeliveries": {"type": "array", "items": {"$ref": "#/components/schemas/Redelivery"}, "description": "Oldest first."},
        "refunds": {"type": "array", "items": {"$ref": "#/components/schemas/Refund"}, "description": "Oldest first."},
        "shares": {"type": "array", "items": {"$ref": "#/components/schemas/Transaction"}, "description": "What the rest of the family has, or had, of it."},
        "timeline": {"type": "array", "items": {"$ref": "#/components/schemas/TimelineEntry"}, "description": "Oldest first."}
      }
    },
    "Redelivery": {
      "type": "object",
      "required": ["transactionId", "installationId", "date"],
      "properties": {
        "transactionId": {"type": "string", "description": "The id under which StoreKit 1 delivers it."},
        "installationId": {"type": "string"},
        "paymentId": {"type": "string"},
        "date": {"type": "integer", "format": "int64"},
        "finishedDate": {"type": "integer", "format": "int64"}
      }
    },
    "TimelineEntry": {
      "type": "object",
      "required": ["date", "event"],
      "properties": {
        "date": {"type": "integer", "format": "int64"},
        "event": {
          "type": "string",
          "enum": ["request", "approvalAwaited", "approved", "purchased", "shared", "sharedWith", "finished", "redelivered", "refunded", "refundReversed", "revoked"],
          "description": "request: a device's quote, confirm, unfinished or finish, if the journal still has it. shared: it is the share of another's purchase, `transactionId`. sharedWith: `customer` was given a share. revoked: taken back without money."
        },
        "request": {"$ref": "#/components/schemas/Request"},
        "transactionId": {"type": "string"},
        "installationId": {"type": "string"},
        "paymentId": {"type": "string"},
        "customer": {"type": "string"},
        "amount": {"type": "integer", "format": "int64", "description": "Negative for a refund that was taken back; missing where nothing was to pay."},
        "currency": {"type": "string"},
        "revocationType": {"type": "string", "enum": ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"]}
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
