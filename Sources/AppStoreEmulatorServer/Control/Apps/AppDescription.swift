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
        "products": {"type": "array", "items": {"type": "object", "required": ["productId", "type", "referenceName", "price"], "properties": {
          "productId": {"type": "string"}, "type": {"$ref": "#/components/schemas/ProductType"},
          "referenceName": {"type": "string"}, "price": {"type": "integer", "format": "int64"}}}}
      }
    },
    "ProductType": {"type": "string", "enum": ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"]}
    """
}
