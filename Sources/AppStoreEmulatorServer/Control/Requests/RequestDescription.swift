import HTTPDoors

/// The request journal, as the control door's description has it.
enum RequestDescription: DescribedSubject {
  static let paths = """
    "/requests": {
      "get": {
        "operationId": "requests",
        "summary": "The requests that came from devices and to verifyReceipt, oldest first, and how each ended. No passwords, no receipts. The newest 10,000 are kept, in memory.",
        "parameters": [
          {"name": "call", "in": "query", "schema": {"$ref": "#/components/schemas/RequestKind"}},
          {"name": "outcome", "in": "query", "schema": {"$ref": "#/components/schemas/RequestOutcome"}},
          {"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/environment"},
          {"$ref": "#/components/parameters/customer"},
          {"name": "installationId", "in": "query", "schema": {"type": "string"}},
          {"name": "productId", "in": "query", "schema": {"type": "string"}},
          {"name": "paymentId", "in": "query", "schema": {"type": "string"}},
          {"name": "transactionId", "in": "query", "description": "Of finish.", "schema": {"type": "string"}},
          {"name": "faultId", "in": "query", "description": "The fault that struck.", "schema": {"type": "string"}},
          {"name": "after", "in": "query", "description": "Only what came after the request of this number.", "schema": {"type": "integer", "minimum": 0}},
          {"name": "limit", "in": "query", "description": "Of more than these, the newest.", "schema": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 1000}}
        ],
        "responses": {
          "200": {"description": "The requests", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RequestJournal"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "delete": {
        "operationId": "removeRequests",
        "summary": "Empties the journal.",
        "responses": {
          "200": {"description": "How many there were", "content": {"application/json": {"schema": {"type": "object", "required": ["removed"],
            "properties": {"removed": {"type": "integer"}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "RequestJournal": {
      "type": "object",
      "required": ["requests", "kept", "dropped", "last"],
      "properties": {
        "requests": {"type": "array", "items": {"$ref": "#/components/schemas/Request"}},
        "kept": {"type": "integer", "description": "How many the journal holds, asked for or not."},
        "dropped": {"type": "integer", "description": "How many the journal had no room for any more."},
        "last": {"type": "integer", "format": "int64", "description": "The number of the newest; 0 before the first."}
      }
    },
    "Request": {
      "type": "object",
      "required": ["sequence", "date", "call", "outcome"],
      "properties": {
        "sequence": {"type": "integer", "format": "int64"},
        "date": {"type": "integer", "format": "int64", "description": "When it came, on the store's clock."},
        "call": {"$ref": "#/components/schemas/RequestKind"},
        "installationId": {"type": "string"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "bundleId": {"type": "string"},
        "customer": {"type": "string", "description": "Who pays, signs in, or is signed in."},
        "productIds": {"type": "array", "items": {"type": "string"}, "description": "The first twenty."},
        "paymentId": {"type": "string"},
        "transactionId": {"type": "string"},
        "outcome": {"$ref": "#/components/schemas/RequestOutcome"},
        "code": {"type": "string", "description": "Why it was refused."},
        "status": {"type": "integer", "description": "What verifyReceipt said."},
        "httpStatus": {"type": "integer"},
        "fault": {"type": "object", "required": ["id", "kind"], "properties": {"id": {"type": "string"}, "kind": {"$ref": "#/components/schemas/FaultKind"}}}
      }
    },
    "RequestKind": {
      "type": "string",
      "enum": ["register", "signIn", "signOut", "products", "quote", "confirm", "unfinished", "finish", "restore", "refreshReceipt", "changes", "verifyReceipt"]
    },
    "RequestOutcome": {"type": "string", "enum": ["underWay", "answered", "refused", "status", "serverError", "noAnswer", "failed"]}
    """
}
