import WebSupport

/// The OpenAPI description of deliveries and downloads.
enum DeliveryDescription: DescribedSubject {
  static let paths = """
    "/v1/apps/{bundleId}/deliveries": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "get": {
        "operationId": "deliveries",
        "summary": "What can be downloaded, with new links.",
        "responses": {
          "200": {"description": "The deliveries that have not ended", "content": {"application/json": {"schema": {"type": "object", "required": ["deliveries"], "properties": {"deliveries": {"type": "array", "items": {"$ref": "#/components/schemas/Delivery"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/downloads/{token}": {
      "parameters": [{"name": "token", "in": "path", "required": true, "description": "The last part of a link.", "schema": {"type": "string"}}],
      "get": {
        "operationId": "download",
        "summary": "One file of a delivery, or a part of it.",
        "security": [],
        "parameters": [
          {"name": "Range", "in": "header", "schema": {"type": "string"}},
          {"name": "If-Range", "in": "header", "schema": {"type": "string"}}
        ],
        "responses": {
          "200": {"description": "The file", "content": {"application/octet-stream": {}}},
          "206": {"description": "The part that Range asks for", "content": {"application/octet-stream": {}}},
          "304": {"description": "If-None-Match names the file"},
          "412": {"description": "If-Match does not name the file"},
          "416": {"description": "The range begins after the end"},
          "403": {"description": "deliveryEnded: refunded, moved or revoked", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "404": {"description": "noSuchLink", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "410": {"description": "linkExpired: ask for a new one", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "503": {"description": "contentMissing", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "head": {
        "operationId": "downloadHead",
        "summary": "The head of a download.",
        "security": [],
        "responses": {
          "200": {"description": "As GET without a range"},
          "304": {"description": "If-None-Match names the file"},
          "412": {"description": "If-Match does not name the file"},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Delivery": {
      "type": "object",
      "required": ["id", "productId", "source", "version", "files"],
      "properties": {
        "id": {"type": "string", "format": "uuid"},
        "productId": {"type": "string"},
        "source": {"type": "string"},
        "version": {"type": "integer", "format": "int64", "description": "Of the product's files."},
        "files": {"type": "array", "items": {"$ref": "#/components/schemas/DeliveredFile"}}
      }
    },
    "DeliveredFile": {
      "type": "object",
      "description": "Either inline or link.",
      "required": ["name", "size", "sha256", "mediaType"],
      "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer", "format": "int64", "description": "In bytes."},
        "sha256": {"$ref": "#/components/schemas/SHA256"},
        "mediaType": {"type": "string"},
        "inline": {"type": "string", "description": "Base64 of the whole file."},
        "link": {"type": "string", "description": "Relative to the server's address; opens the file for whoever has it."},
        "linkExpires": {"$ref": "#/components/schemas/Date"}
      }
    }
    """
}
