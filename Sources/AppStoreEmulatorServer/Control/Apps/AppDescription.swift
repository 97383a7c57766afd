import HTTPDoors

/// The apps on sale, and how a client reaches the store, as the control door's description has it.
enum AppDescription: DescribedSubject {
  static let paths = """
    "/connection": {
      "get": {
        "operationId": "connection",
        "summary": "All that a client of this store needs: certificates, keys, addresses.",
        "parameters": [
          {"name": "bundleId", "in": "query", "description": "Needed where the store serves several apps.",
           "schema": {"type": "string"}}
        ],
        "responses": {
          "200": {"description": "The connection", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Connection"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/apps": {
      "get": {
        "operationId": "apps",
        "summary": "The apps on sale and their catalogs.",
        "responses": {
          "200": {"description": "The apps", "content": {"application/json": {"schema": {"type": "object", "required": ["apps"],
            "properties": {"apps": {"type": "array", "items": {"$ref": "#/components/schemas/App"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/apps/{bundleId}": {
      "parameters": [
        {"name": "bundleId", "in": "path", "required": true, "schema": {"type": "string"}}
      ],
      "put": {
        "operationId": "serveApp",
        "summary": "Puts an app on sale, or replaces its catalog. Purchases made before stay as they are.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppCatalog"}}}},
        "responses": {
          "200": {"description": "The app as it is on sale now", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ServedApp"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/apps/{bundleId}/products/{productId}": {
      "parameters": [
        {"name": "bundleId", "in": "path", "required": true, "schema": {"type": "string"}},
        {"name": "productId", "in": "path", "required": true, "schema": {"type": "string"}}
      ],
      "patch": {
        "operationId": "changeProduct",
        "summary": "Changes what is given of a product; the rest stays. A quote at another price is then stale.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProductChange"}}}},
        "responses": {
          "200": {"description": "The product", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Product"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Connection": {
      "type": "object",
      "required": ["rootCertificate", "receiptRootCertificate", "tlsRootCertificate", "intermediateCertificates", "bundleId", "appAppleId",
        "issuerId", "keyId", "privateKey", "sharedSecret", "baseURLs"],
      "properties": {
        "rootCertificate": {"type": "string", "description": "Base64 of the DER root that signed transactions lead to."},
        "receiptRootCertificate": {"type": "string", "description": "Base64 of the DER root that receipts lead to."},
        "tlsRootCertificate": {"type": "string", "description": "Base64 of the DER root of the TLS port."},
        "intermediateCertificates": {"type": "array", "items": {"type": "string"}},
        "bundleId": {"type": "string"},
        "appAppleId": {"type": "integer", "format": "int64"},
        "issuerId": {"type": "string"},
        "keyId": {"type": "string"},
        "privateKey": {"type": "string", "description": "PEM, PKCS#8: signs tokens for the App Store Server API."},
        "sharedSecret": {"type": "string", "description": "The password of verifyReceipt."},
        "baseURLs": {"type": "object", "required": ["production", "sandbox"],
          "properties": {"production": {"type": "string"}, "sandbox": {"type": "string"}}}
      }
    },
    "App": {
      "type": "object",
      "required": ["bundleId", "appAppleId", "products"],
      "properties": {
        "bundleId": {"type": "string"},
        "appAppleId": {"type": "integer", "format": "int64"},
        "products": {"type": "array", "items": {"$ref": "#/components/schemas/Product"}}
      }
    },
    "AppCatalog": {
      "type": "object",
      "required": ["configurations"],
      "properties": {
        "configurations": {"type": "array", "description": "The contents of .storekit files, each as the JSON object it is.",
          "items": {"type": "object", "additionalProperties": true}}
      }
    },
    "ServedApp": {
      "type": "object",
      "required": ["app", "warnings"],
      "properties": {
        "app": {"$ref": "#/components/schemas/App"},
        "warnings": {"type": "array", "description": "What was read but has no effect.", "items": {"type": "string"}}
      }
    },
    "Product": {
      "type": "object",
      "required": ["productId", "type", "referenceName", "price", "prices", "isOnSale"],
      "properties": {
        "productId": {"type": "string"},
        "type": {"$ref": "#/components/schemas/ProductType"},
        "referenceName": {"type": "string"},
        "price": {"type": "integer", "format": "int64", "description": "In thousandths of the currency of the storefront that the app's files name (USA if they name none). Other storefronts' prices are converted from it."},
        "prices": {"$ref": "#/components/schemas/StorefrontPrices"},
        "isOnSale": {"type": "boolean"}
      }
    },
    "ProductChange": {
      "type": "object",
      "properties": {
        "price": {"type": "integer", "format": "int64", "minimum": 0},
        "prices": {"$ref": "#/components/schemas/StorefrontPrices"},
        "isOnSale": {"type": "boolean", "description": "False: no app is told of it any more, and nobody can buy it."}
      }
    },
    "StorefrontPrices": {"type": "object", "description": "Prices that replace the price in single storefronts, each in thousandths of that storefront's currency, by alpha-3 country code.",
      "additionalProperties": {"type": "integer", "format": "int64", "minimum": 0}},
    "ProductType": {"type": "string", "enum": ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"]}
    """
}
