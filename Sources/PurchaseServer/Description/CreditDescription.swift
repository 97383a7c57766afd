import WebSupport

/// The OpenAPI description of credits.
enum CreditDescription: DescribedSubject {
  static let paths = """
    "/v1/apps/{bundleId}/credits": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "get": {
        "operationId": "credits",
        "summary": "What the customer can spend.",
        "responses": {
          "200": {"description": "The balances", "content": {"application/json": {"schema": {"type": "object", "required": ["incarnation", "credits"], "properties": {"incarnation": {"$ref": "#/components/schemas/Incarnation"}, "credits": {"type": "array", "items": {"$ref": "#/components/schemas/CreditBalance"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/apps/{bundleId}/credits/{unit}/movements": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/unit"}],
      "get": {
        "operationId": "creditMovements",
        "summary": "The history, newest first.",
        "parameters": [
          {"name": "before", "in": "query", "description": "The last sequence number of the page before.", "schema": {"type": "integer", "format": "int64"}},
          {"$ref": "#/components/parameters/limit"}
        ],
        "responses": {
          "200": {"description": "A page of movements", "content": {"application/json": {"schema": {"type": "object", "required": ["movements"], "properties": {"movements": {"type": "array", "items": {"$ref": "#/components/schemas/CreditMovement"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/apps/{bundleId}/credits/{unit}/spends": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/unit"}],
      "post": {
        "operationId": "spend",
        "summary": "Spends, all or nothing. The same key again is the same spend.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SpendOrder"}}}},
        "responses": {
          "200": {"description": "The movement", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Spend"}}}},
          "409": {"description": "insufficientCredits, spendingBlocked or keyReused", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "CreditBalance": {
      "type": "object",
      "required": ["unit", "balance", "movements", "isSpendingBlocked"],
      "properties": {
        "unit": {"$ref": "#/components/schemas/CreditUnit"},
        "balance": {"type": "integer", "format": "int64", "description": "Below zero for a debt."},
        "movements": {"type": "integer", "format": "int64"},
        "isSpendingBlocked": {"type": "boolean"}
      }
    },
    "CreditMovement": {
      "type": "object",
      "required": ["sequence", "amount", "balance", "counterAccount", "cause", "key", "date"],
      "properties": {
        "sequence": {"type": "integer", "format": "int64", "description": "1 for the first of the account, without gaps."},
        "amount": {"type": "integer", "format": "int64"},
        "balance": {"type": "integer", "format": "int64", "description": "After it."},
        "counterAccount": {"type": "string", "enum": ["sales", "refunds", "shortfall", "spending", "grants"]},
        "cause": {"type": "string", "enum": ["purchase", "refund", "refundReversed", "shortfall", "shortfallReversed", "spend", "grant"]},
        "key": {"type": "string"},
        "date": {"$ref": "#/components/schemas/Date"}
      }
    },
    "Incarnation": {
      "type": "string", "format": "uuid",
      "description": "Names the history that movement numbers count. It changes when the ledger is restored; only numbers of the same incarnation can be compared."
    },
    "Spend": {
      "type": "object",
      "description": "A movement, and the incarnation that its sequence number belongs to.",
      "required": ["sequence", "amount", "balance", "counterAccount", "cause", "key", "date", "incarnation"],
      "properties": {
        "sequence": {"type": "integer", "format": "int64", "description": "1 for the first of the account, without gaps."},
        "amount": {"type": "integer", "format": "int64"},
        "balance": {"type": "integer", "format": "int64", "description": "After it."},
        "counterAccount": {"type": "string", "enum": ["spending"]},
        "cause": {"type": "string", "enum": ["spend"]},
        "key": {"type": "string"},
        "date": {"$ref": "#/components/schemas/Date"},
        "incarnation": {"$ref": "#/components/schemas/Incarnation"}
      }
    },
    "SpendOrder": {
      "type": "object",
      "required": ["key", "amount"],
      "properties": {
        "key": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Names this spend of this customer; at most 200 bytes."},
        "amount": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000000}
      }
    }
    """
}
