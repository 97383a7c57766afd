import WebSupport

/// The OpenAPI description of the product catalog.
enum CatalogDescription: DescribedSubject {
  static let paths = """
    "/v1/apps/{bundleId}/products": {
      "parameters": [{"$ref": "#/components/parameters/bundleId"}],
      "get": {
        "operationId": "products",
        "summary": "The master list, in the language of Accept-Language. Anyone may read it.",
        "security": [],
        "parameters": [
          {"name": "Accept-Language", "in": "header", "schema": {"type": "string"}},
          {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}
        ],
        "responses": {
          "200": {"description": "The listed products", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Catalog"}}}},
          "304": {"description": "The list is still the one that If-None-Match names"},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Catalog": {
      "type": "object",
      "required": ["bundleId", "revision", "products"],
      "properties": {
        "bundleId": {"type": "string"},
        "revision": {"type": "integer", "format": "int64", "description": "Counts the changes of the list."},
        "products": {"type": "array", "items": {"$ref": "#/components/schemas/CatalogProduct"}}
      }
    },
    "CatalogProduct": {
      "type": "object",
      "required": ["productId", "type"],
      "properties": {
        "productId": {"type": "string"},
        "type": {"$ref": "#/components/schemas/ProductType"},
        "name": {"type": "string"},
        "description": {"type": "string"},
        "language": {"type": "string", "description": "Of name and description: the one asked for, or the nearest there is."},
        "credits": {"$ref": "#/components/schemas/Credits"},
        "content": {"type": "object", "required": ["version", "size", "files"], "properties": {"version": {"type": "integer", "format": "int64"}, "size": {"type": "integer", "format": "int64", "description": "Of all files, in bytes."}, "files": {"type": "integer", "description": "How many."}}}
      }
    }
    """
}
