import HTTPDoors

/// The customers, as the control door's description has it.
enum CustomerDescription: DescribedSubject {
  static let paths = """
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
      },
      "delete": {
        "operationId": "removeCustomer",
        "summary": "Takes away a customer whom no purchase, charge or payment names.",
        "responses": {
          "200": {"description": "The customer there was", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Customer"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Customer": {
      "type": "object",
      "required": ["environment", "name"],
      "properties": {
        "environment": {"$ref": "#/components/schemas/Environment"},
        "name": {"type": "string", "minLength": 1},
        "password": {"type": ["string", "null"], "description": "None: any password, or none, signs in."},
        "storefront": {"type": "string", "default": "USA", "description": "ISO 3166-1 alpha-3"},
        "paymentMethod": {"$ref": "#/components/schemas/PaymentMethod"},
        "needsApproval": {"type": "boolean", "default": false, "description": "Whether somebody else has to approve every payment (Ask to Buy)."},
        "family": {"type": ["string", "null"], "minLength": 1, "description": "Customers of one family share what is family-shareable. Null: none."}
      }
    },
    "CustomerChange": {
      "type": "object",
      "properties": {
        "password": {"type": ["string", "null"], "description": "Null takes it away."},
        "storefront": {"type": "string"},
        "paymentMethod": {"$ref": "#/components/schemas/PaymentMethod"},
        "needsApproval": {"type": "boolean", "default": false, "description": "Whether somebody else has to approve every payment (Ask to Buy)."},
        "family": {"type": ["string", "null"], "minLength": 1, "description": "Customers of one family share what is family-shareable. Null: none."}
      }
    },
    "PaymentMethod": {"type": "string", "description": "A payment of a customer whose account needsAttention is interrupted: it fails, and is bought once this is valid. Where needsApproval is set meanwhile, it waits for approval first.",
       "enum": ["valid", "declined", "needsAttention"]}
    """
}
