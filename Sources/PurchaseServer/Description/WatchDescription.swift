import WebSupport

/// The OpenAPI description of the endpoints for monitoring.
enum WatchDescription: DescribedSubject {
  static let paths = """
    "/health": {
      "get": {
        "operationId": "health",
        "summary": "The process lives.",
        "security": [],
        "responses": {
          "200": {"description": "It does", "content": {"application/json": {"schema": {"type": "object", "required": ["status", "anchors"], "properties": {"status": {"type": "string", "enum": ["alive"]}, "anchors": {"type": "array", "items": {"type": "string", "pattern": "^[0-9A-F]{64}$"}, "description": "Of the roots whose purchases are in the ledger."}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/ready": {
      "get": {
        "operationId": "ready",
        "summary": "The ledger takes a durable write, and the server is not about to stop.",
        "security": [],
        "responses": {
          "200": {"description": "It is ready", "content": {"application/json": {"schema": {"type": "object", "required": ["status"], "properties": {"status": {"type": "string", "enum": ["ready"]}}}}}},
          "503": {"description": "It is not", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/metrics": {
      "get": {
        "operationId": "metrics",
        "summary": "What is counted, as Prometheus reads it. From this machine without a key.",
        "security": [{}, {"operator": []}],
        "responses": {
          "200": {"description": "Text format 0.0.4", "content": {"text/plain": {"schema": {"type": "string"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/openapi.json": {
      "get": {
        "operationId": "description",
        "summary": "This description.",
        "security": [],
        "responses": {
          "200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = ""
}
