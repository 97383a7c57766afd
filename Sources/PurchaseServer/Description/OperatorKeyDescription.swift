import WebSupport

/// The OpenAPI description of operator keys, the audit log and backups.
enum OperatorKeyDescription: DescribedSubject {
  static let paths = """
    "/v1/operator/keys": {
      "get": {
        "operationId": "operatorKeys",
        "summary": "All keys, also those that were revoked, without their secrets.",
        "security": [{"operator": []}],
        "responses": {
          "200": {"description": "The keys", "content": {"application/json": {"schema": {"type": "object", "required": ["keys"], "properties": {"keys": {"type": "array", "items": {"$ref": "#/components/schemas/OperatorKey"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "post": {
        "operationId": "createOperatorKey",
        "summary": "Makes a key.",
        "security": [{"operator": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/KeyOrder"}}}},
        "responses": {
          "201": {"description": "The key; its token is told once", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CreatedOperatorKey"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/keys/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "delete": {
        "operationId": "revokeOperatorKey",
        "summary": "Takes a key out of use, for good.",
        "security": [{"operator": []}],
        "responses": {
          "204": {"description": "Done"},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/audit": {
      "get": {
        "operationId": "auditLog",
        "summary": "What operators did, newest first.",
        "security": [{"operator": []}],
        "parameters": [
          {"name": "before", "in": "query", "description": "The date of the last entry of the page before.", "schema": {"$ref": "#/components/schemas/Date"}},
          {"name": "beforeId", "in": "query", "description": "That entry's id.", "schema": {"type": "string"}},
          {"$ref": "#/components/parameters/limit"}
        ],
        "responses": {
          "200": {"description": "A page of the log", "content": {"application/json": {"schema": {"type": "object", "required": ["entries"], "properties": {"entries": {"type": "array", "items": {"$ref": "#/components/schemas/AuditEntry"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/backups": {
      "post": {
        "operationId": "backUp",
        "summary": "SQLite: writes a copy of the ledger beside it, while it is in use.",
        "security": [{"operator": []}],
        "responses": {
          "201": {"description": "The name of the copy", "content": {"application/json": {"schema": {"type": "object", "required": ["file"], "properties": {"file": {"type": "string"}}}}}},
          "409": {"description": "notHere: the ledger is in PostgreSQL", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "OperatorKey": {
      "type": "object",
      "required": ["id", "name", "created"],
      "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "created": {"$ref": "#/components/schemas/Date"},
        "revoked": {"$ref": "#/components/schemas/Date"}
      }
    },
    "KeyOrder": {
      "type": "object",
      "required": ["name"],
      "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 100, "description": "What the audit log calls its holder; at most 100 bytes."}
      }
    },
    "CreatedOperatorKey": {
      "type": "object",
      "required": ["id", "name", "token"],
      "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "token": {"type": "string"}
      }
    },
    "AuditEntry": {
      "type": "object",
      "required": ["id", "date", "operatorName", "action", "subject", "detail"],
      "properties": {
        "id": {"type": "string"},
        "date": {"$ref": "#/components/schemas/Date"},
        "operatorName": {"type": "string"},
        "action": {"type": "string"},
        "subject": {"type": "string"},
        "detail": {"type": "string"}
      }
    }
    """
}
