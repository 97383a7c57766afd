import HTTPDoors

/// Reset, snapshot and restore, as the control door's description has it.
enum LifecycleDescription: DescribedSubject {
  static let paths = """
    "/reset": {
      "post": {
        "operationId": "reset",
        "summary": "Empties the books and begins another epoch. Apps, catalogs, keys and the clock stay; customers are those a new store has. Faults are removed, and the request journal is emptied.",
        "responses": {
          "200": {"description": "The new epoch", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Epoch"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/snapshot": {
      "get": {
        "operationId": "snapshot",
        "summary": "The whole store at one moment, but not its keys.",
        "responses": {
          "200": {"description": "The snapshot", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Snapshot"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/restore": {
      "post": {
        "operationId": "restore",
        "summary": "Replaces the whole store by a snapshot and begins another epoch. Faults and the request journal stay. A snapshot that cannot be used changes nothing.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Snapshot"}}}},
        "responses": {
          "200": {"description": "The new epoch", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Epoch"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Epoch": {
      "type": "object",
      "required": ["epoch"],
      "properties": {"epoch": {"type": "string", "description": "Ten digits: how every new transaction id begins."}}
    },
    "Snapshot": {
      "type": "object",
      "required": ["snapshot"],
      "properties": {"snapshot": {"type": "string", "contentEncoding": "base64", "description": "A SQLite database."}}
    }
    """
}
