/// The OpenAPI description of the control door, served at `/control/openapi.json`.
///
/// It is written by hand; a test compares its paths with the routes and its schemas with what is sent.
enum ControlDescription {
  static let json = """
    {
      "openapi": "3.1.0",
      "info": {
        "title": "App Store emulator: control",
        "version": "1",
        "description": "Steers an emulated App Store. Dates are UNIX milliseconds, amounts are thousandths of the currency's unit."
      },
      "servers": [{"url": "/control/v1"}],
      "security": [{}, {"token": []}],
      "paths": {
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
        "/customers": {
          "get": {
            "operationId": "customers",
            "summary": "All customers.",
            "responses": {
              "200": {"description": "The customers", "content": {"application/json": {"schema": {"type": "object", "required": ["customers"],
                "properties": {"customers": {"type": "array", "items": {"$ref": "#/components/schemas/Customer"}}}}}}},
              "default": {"$ref": "#/components/responses/Refused"}
            }
          },
          "post": {
            "operationId": "addCustomer",
            "summary": "Adds a customer.",
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Customer"}}}},
            "responses": {
              "201": {"description": "The new customer", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Customer"}}}},
              "default": {"$ref": "#/components/responses/Refused"}
            }
          }
        },
        "/customers/{environment}/{name}": {
          "parameters": [
            {"name": "environment", "in": "path", "required": true, "schema": {"type": "string", "enum": ["production", "sandbox"]}},
            {"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}
          ],
          "get": {
            "operationId": "customer",
            "summary": "One customer.",
            "responses": {
              "200": {"description": "The customer", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Customer"}}}},
              "default": {"$ref": "#/components/responses/Refused"}
            }
          },
          "patch": {
            "operationId": "changeCustomer",
            "summary": "Changes what is given of a customer; the rest stays.",
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomerChange"}}}},
            "responses": {
              "200": {"description": "The customer", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Customer"}}}},
              "default": {"$ref": "#/components/responses/Refused"}
            }
          }
        },
        "/purchases": {
          "post": {
            "operationId": "purchase",
            "summary": "Buys on a customer's behalf, as if outside the app: charged at once, without a sheet.",
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Purchase"}}}},
            "responses": {
              "201": {"description": "The transaction", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Transaction"}}}},
              "default": {"$ref": "#/components/responses/Refused"}
            }
          }
        },
        "/transactions": {
          "parameters": [
            {"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/environment"},
            {"$ref": "#/components/parameters/customer"}, {"$ref": "#/components/parameters/limit"}
          ],
          "get": {
            "operationId": "transactions",
            "summary": "The newest transactions, newest first.",
            "responses": {
              "200": {"description": "The transactions", "content": {"application/json": {"schema": {"type": "object", "required": ["transactions"],
                "properties": {"transactions": {"type": "array", "items": {"$ref": "#/components/schemas/Transaction"}}}}}}},
              "default": {"$ref": "#/components/responses/Refused"}
            }
          }
        },
        "/charges": {
          "parameters": [
            {"$ref": "#/components/parameters/bundleId"}, {"$ref": "#/components/parameters/environment"},
            {"$ref": "#/components/parameters/customer"}, {"$ref": "#/components/parameters/limit"}
          ],
          "get": {
            "operationId": "charges",
            "summary": "What customers were charged, newest first.",
            "responses": {
              "200": {"description": "The charges", "content": {"application/json": {"schema": {"type": "object", "required": ["charges"],
                "properties": {"charges": {"type": "array", "items": {"$ref": "#/components/schemas/Charge"}}}}}}},
              "default": {"$ref": "#/components/responses/Refused"}
            }
          }
        }
      },
      "components": {
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Needed where the emulator was started with --control-token."}},
        "parameters": {
          "bundleId": {"name": "bundleId", "in": "query", "schema": {"type": "string"}},
          "environment": {"name": "environment", "in": "query", "schema": {"type": "string", "enum": ["production", "sandbox"]}},
          "customer": {"name": "customer", "in": "query", "schema": {"type": "string"}},
          "limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 1000}}
        },
        "responses": {
          "Refused": {"description": "Why not, and what to do", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}}
        },
        "schemas": {
          "Refused": {"type": "object", "required": ["error"], "properties": {"error": {"type": "object", "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}}}}},
          "Environment": {"type": "string", "enum": ["Production", "Sandbox"]},
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
          "ProductType": {"type": "string", "enum": ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"]},
          "PaymentMethod": {"type": "string", "enum": ["valid", "declined", "needsAttention"]},
          "Customer": {
            "type": "object",
            "required": ["environment", "name"],
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "name": {"type": "string", "minLength": 1},
              "password": {"type": ["string", "null"], "description": "None: any password, or none, signs in."},
              "storefront": {"type": "string", "default": "USA", "description": "ISO 3166-1 alpha-3"},
              "paymentMethod": {"$ref": "#/components/schemas/PaymentMethod"}
            }
          },
          "CustomerChange": {
            "type": "object",
            "properties": {
              "password": {"type": ["string", "null"], "description": "Null takes it away."},
              "storefront": {"type": "string"},
              "paymentMethod": {"$ref": "#/components/schemas/PaymentMethod"}
            }
          },
          "Purchase": {
            "type": "object",
            "required": ["bundleId", "environment", "customer", "productId"],
            "properties": {
              "bundleId": {"type": "string"},
              "environment": {"$ref": "#/components/schemas/Environment"},
              "customer": {"type": "string"},
              "productId": {"type": "string"},
              "quantity": {"type": "integer", "minimum": 1, "maximum": 10, "default": 1},
              "applicationUsername": {"type": "string"},
              "installationId": {"type": "string", "description": "Where it is delivered; otherwise to the first that asks."}
            }
          },
          "Transaction": {
            "type": "object",
            "required": ["transactionId", "originalTransactionId", "bundleId", "environment", "productId", "type", "quantity", "price", "currency",
              "storefront", "purchaseDate", "originalPurchaseDate", "customer"],
            "properties": {
              "transactionId": {"type": "string"},
              "originalTransactionId": {"type": "string"},
              "bundleId": {"type": "string"},
              "environment": {"$ref": "#/components/schemas/Environment"},
              "productId": {"type": "string"},
              "type": {"$ref": "#/components/schemas/ProductType"},
              "quantity": {"type": "integer"},
              "price": {"type": "integer", "format": "int64"},
              "currency": {"type": "string"},
              "storefront": {"type": "string"},
              "purchaseDate": {"type": "integer", "format": "int64"},
              "originalPurchaseDate": {"type": "integer", "format": "int64"},
              "appAccountToken": {"type": "string"},
              "applicationUsername": {"type": "string"},
              "customer": {"type": "string"},
              "installationId": {"type": "string"},
              "finishedDate": {"type": "integer", "format": "int64"}
            }
          },
          "Charge": {
            "type": "object",
            "required": ["transactionId", "bundleId", "environment", "customer", "productId", "amount", "currency", "date"],
            "properties": {
              "transactionId": {"type": "string"},
              "bundleId": {"type": "string"},
              "environment": {"$ref": "#/components/schemas/Environment"},
              "customer": {"type": "string"},
              "productId": {"type": "string"},
              "amount": {"type": "integer", "format": "int64"},
              "currency": {"type": "string"},
              "date": {"type": "integer", "format": "int64"}
            }
          }
        }
      }
    }

    """
}
