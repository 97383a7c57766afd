import WebSupport

/// The OpenAPI description of redemptions, restores and entitlements.
enum RedemptionDescription: DescribedSubject {
  static let paths = """
    "/v1/apps/{bundleId}/redemptions": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "post": {
        "operationId": "redeem",
        "summary": "Redeems purchases of a proof. Sent again, it answers the same and gives nothing more; links are new.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RedemptionOrder"}}}},
        "responses": {
          "200": {"description": "What came of each purchase; at least one was given, or none was asked for", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Redemption"}}}},
          "409": {"description": "None was given: another customer's", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RefusedRedemption"}}}},
          "410": {"description": "None was given: taken back", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RefusedRedemption"}}}},
          "422": {"description": "None was given: not proven", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RefusedRedemption"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/apps/{bundleId}/restores": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "post": {
        "operationId": "restore",
        "summary": "Redeems everything of a proof that lasts: all but consumables.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RestoreOrder"}}}},
        "responses": {
          "200": {"description": "What came of each purchase; at least one was given, or none was asked for", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Redemption"}}}},
          "409": {"description": "None was given: another customer's", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RefusedRedemption"}}}},
          "410": {"description": "None was given: taken back", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RefusedRedemption"}}}},
          "422": {"description": "None was given: not proven", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RefusedRedemption"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/apps/{bundleId}/entitlements": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "get": {
        "operationId": "entitlements",
        "summary": "What the customer has and had.",
        "responses": {
          "200": {"description": "The entitlements", "content": {"application/json": {"schema": {"type": "object", "required": ["entitlements"], "properties": {"entitlements": {"type": "array", "items": {"$ref": "#/components/schemas/Entitlement"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Proof": {
      "type": "object",
      "description": "Exactly one of the three.",
      "properties": {
        "appReceipt": {"type": "string", "description": "Base64 of the app receipt."},
        "legacyReceipt": {"type": "string", "description": "Base64 of a transactionReceipt."},
        "signedTransaction": {"type": "string", "description": "A JWS, as it is. Refused (kindNotAccepted) for an app whose receipts the store is asked about, unless its operator takes it."}
      }
    },
    "RedemptionOrder": {
      "type": "object",
      "required": ["proof", "purchases"],
      "properties": {
        "proof": {"$ref": "#/components/schemas/Proof"},
        "purchases": {"type": "array", "minItems": 1, "maxItems": 1000, "items": {"$ref": "#/components/schemas/RedemptionItem"}}
      }
    },
    "RedemptionItem": {
      "type": "object",
      "required": ["transactionId"],
      "properties": {
        "transactionId": {"$ref": "#/components/schemas/TransactionId"},
        "productId": {"type": "string", "description": "What the app believes it is; refused if it is another."}
      }
    },
    "RestoreOrder": {
      "type": "object",
      "required": ["proof"],
      "properties": {
        "proof": {"$ref": "#/components/schemas/Proof"}
      }
    },
    "Redemption": {
      "type": "object",
      "description": "The customer is another than who asked where an installation joined the customer that an earlier one made.",
      "required": ["customer", "environment", "purchases"],
      "properties": {
        "customer": {"$ref": "#/components/schemas/CustomerId"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "purchases": {"type": "array", "items": {"$ref": "#/components/schemas/RedeemedPurchase"}}
      }
    },
    "RefusedRedemption": {
      "type": "object",
      "description": "Where the proof itself was refused, the error alone.",
      "required": ["error"],
      "properties": {
        "error": {"$ref": "#/components/schemas/Refusal"},
        "customer": {"$ref": "#/components/schemas/CustomerId"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "purchases": {"type": "array", "items": {"$ref": "#/components/schemas/RedeemedPurchase"}}
      }
    },
    "RedeemedPurchase": {
      "type": "object",
      "description": "Either given or refusal.",
      "required": ["transactionId"],
      "properties": {
        "transactionId": {"$ref": "#/components/schemas/TransactionId"},
        "productId": {"type": "string"},
        "given": {"$ref": "#/components/schemas/Given"},
        "refusal": {"$ref": "#/components/schemas/Refusal"}
      }
    },
    "Given": {
      "type": "object",
      "required": ["claim", "claimed"],
      "properties": {
        "claim": {"$ref": "#/components/schemas/TransactionId"},
        "claimed": {"$ref": "#/components/schemas/Date"},
        "credits": {"$ref": "#/components/schemas/Credits"},
        "entitlement": {"$ref": "#/components/schemas/Entitlement"},
        "delivery": {"$ref": "#/components/schemas/Delivery"}
      }
    },
    "Entitlement": {
      "type": "object",
      "description": "Without accessUntil it is for ever.",
      "required": ["productId", "source", "origin", "begun", "isActive"],
      "properties": {
        "productId": {"type": "string"},
        "source": {"type": "string", "description": "The original transaction id, or grant: and the key of an operator's grant."},
        "origin": {"$ref": "#/components/schemas/EntitlementOrigin"},
        "begun": {"$ref": "#/components/schemas/Date"},
        "accessUntil": {"$ref": "#/components/schemas/Date"},
        "ended": {"$ref": "#/components/schemas/Date"},
        "endReason": {"$ref": "#/components/schemas/EntitlementEnd"},
        "isActive": {"type": "boolean", "description": "Whether the customer has it now, by the server's clock."}
      }
    },
    "EntitlementOrigin": {"type": "string", "enum": ["purchased", "familyShared", "granted"]},
    "EntitlementEnd": {"type": "string", "enum": ["refunded", "transferred", "revoked", "replaced", "erased"]}
    """
}
