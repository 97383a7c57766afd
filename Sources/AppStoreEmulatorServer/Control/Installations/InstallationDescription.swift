import HTTPDoors

/// Installations of apps on devices, as the control door's description has it.
enum InstallationDescription: DescribedSubject {
  static let paths = """
    "/installations": {
      "get": {
        "operationId": "installations",
        "summary": "All installations, in the order in which they registered.",
        "responses": {
          "200": {"description": "The installations", "content": {"application/json": {"schema": {"type": "object", "required": ["installations"],
              "properties": {"installations": {"type": "array", "items": {"$ref": "#/components/schemas/Installation"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/installations/{installationId}/signOut": {
      "parameters": [
        {"name": "installationId", "in": "path", "required": true, "schema": {"type": "string"}}
      ],
      "post": {
        "operationId": "signOut",
        "summary": "Leaves nobody signed in on the installation.",
        "responses": {
          "200": {"description": "The installation", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Installation"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/promotedPurchases": {
      "post": {
        "operationId": "beginPromotedPurchase",
        "summary": "Lets the app go on with a purchase that the customer began in the App Store.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PromotedPurchase"}}}},
        "responses": {
          "201": {"description": "What the device is told", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PromotedPurchase"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Installation": {
      "type": "object",
      "required": ["installationId", "bundleId", "environment", "deviceId", "applicationVersion", "originalApplicationVersion", "registrationDate"],
      "properties": {
        "installationId": {"type": "string"},
        "bundleId": {"type": "string"},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "deviceId": {"type": "string", "description": "The device's identifierForVendor."},
        "applicationVersion": {"type": "string"},
        "originalApplicationVersion": {"type": "string", "description": "The version that registered first."},
        "customer": {"type": "string", "description": "Who is signed in."},
        "registrationDate": {"type": "integer", "format": "int64"}
      }
    },
    "PromotedPurchase": {
      "type": "object",
      "required": ["installationId", "productId"],
      "properties": {"installationId": {"type": "string"}, "productId": {"type": "string"}}
    }
    """
}
