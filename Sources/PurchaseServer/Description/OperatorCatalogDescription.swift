import WebSupport

/// The OpenAPI description of the operator's endpoints for products.
enum OperatorCatalogDescription: DescribedSubject {
  static let paths = """
    "/v1/operator/apps/{bundleId}/products/{productId}": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/productId"}],
      "put": {
        "operationId": "publishProduct",
        "summary": "Puts a product on the list, or changes what is there.",
        "security": [{"operator": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProductOrder"}}}},
        "responses": {
          "200": {"description": "The product", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Product"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/content": {
      "put": {
        "operationId": "bringContent",
        "summary": "Brings a file into the content store.",
        "security": [{"operator": []}],
        "parameters": [
          {"name": "sha256", "in": "query", "schema": {"$ref": "#/components/schemas/SHA256"}}
        ],
        "requestBody": {"required": true, "content": {"application/octet-stream": {}}},
        "responses": {
          "201": {"description": "What is stored now", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/StoredContent"}}}},
          "411": {"description": "Neither Content-Length nor sha256 was given", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "422": {"description": "contentDiffers: size or digest are not what was said", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/v1/operator/apps/{bundleId}/products/{productId}/content": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/productId"}],
      "put": {
        "operationId": "publishContent",
        "summary": "Makes files the current version of a product, all at once.",
        "security": [{"operator": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ContentOrder"}}}},
        "responses": {
          "200": {"description": "The version", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProductContent"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "ProductOrder": {
      "type": "object",
      "required": ["type"],
      "properties": {
        "type": {"$ref": "#/components/schemas/ProductType"},
        "credits": {"$ref": "#/components/schemas/Credits"},
        "accessDays": {"type": "integer", "minimum": 1, "maximum": 36500, "description": "Of a non-renewing subscription, and required of it: for how many days one gives access."},
        "localisations": {"$ref": "#/components/schemas/Localisations"},
        "isListed": {"type": "boolean", "default": true}
      }
    },
    "Product": {
      "type": "object",
      "required": ["id", "type", "localisations", "isListed"],
      "properties": {
        "id": {"type": "string"},
        "type": {"$ref": "#/components/schemas/ProductType"},
        "credits": {"$ref": "#/components/schemas/Credits"},
        "accessDays": {"type": "integer", "minimum": 1, "maximum": 36500, "description": "Of a non-renewing subscription, and required of it: for how many days one gives access."},
        "localisations": {"$ref": "#/components/schemas/Localisations"},
        "isListed": {"type": "boolean"}
      }
    },
    "Localisations": {"type": "object", "description": "By language tag, such as pt-BR.", "additionalProperties": {"type": "object", "required": ["name", "description"], "properties": {"name": {"type": "string"}, "description": {"type": "string"}}}},
    "StoredContent": {
      "type": "object",
      "required": ["sha256", "size"],
      "properties": {
        "sha256": {"$ref": "#/components/schemas/SHA256"},
        "size": {"type": "integer", "format": "int64"}
      }
    },
    "ContentOrder": {
      "type": "object",
      "required": ["files"],
      "properties": {
        "files": {"type": "array", "minItems": 1, "maxItems": 1000, "items": {"type": "object", "required": ["name", "sha256", "mediaType"], "properties": {"name": {"type": "string"}, "sha256": {"$ref": "#/components/schemas/SHA256"}, "mediaType": {"type": "string"}}}}
      }
    },
    "ProductContent": {
      "type": "object",
      "required": ["version", "files"],
      "properties": {
        "version": {"type": "integer", "format": "int64"},
        "files": {"type": "array", "items": {"type": "object", "required": ["name", "size", "sha256", "mediaType"], "properties": {"name": {"type": "string"}, "size": {"type": "integer", "format": "int64"}, "sha256": {"$ref": "#/components/schemas/SHA256"}, "mediaType": {"type": "string"}}}}
      }
    }
    """
}
