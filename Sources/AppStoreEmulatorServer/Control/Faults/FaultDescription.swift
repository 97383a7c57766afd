import AppStoreEmulator
import HTTPDoors

/// Faults, as the control door's description has it.
enum FaultDescription: DescribedSubject {
  static let paths = """
    "/faults": {
      "get": {
        "operationId": "faults",
        "summary": "The faults that are set, in that order. Where several are for a request, the first of them strikes.",
        "responses": {
          "200": {"description": "The faults", "content": {"application/json": {"schema": {"type": "object", "required": ["faults"],
            "properties": {"faults": {"type": "array", "items": {"$ref": "#/components/schemas/FaultReport"}}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "post": {
        "operationId": "setFault",
        "summary": "Sets a fault: trouble for some of the requests of devices and of verifyReceipt. Kept in memory only.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}}},
        "responses": {
          "201": {"description": "The fault as it is set", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FaultReport"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "delete": {
        "operationId": "removeFaults",
        "summary": "Removes all faults, and lets go what they hold.",
        "responses": {
          "200": {"description": "How many there were", "content": {"application/json": {"schema": {"type": "object", "required": ["removed"],
            "properties": {"removed": {"type": "integer"}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/faults/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "get": {
        "operationId": "fault",
        "summary": "One fault, and what came of it so far.",
        "responses": {
          "200": {"description": "The fault", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FaultReport"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "delete": {
        "operationId": "removeFault",
        "summary": "Removes a fault, and lets go what it holds.",
        "responses": {
          "200": {"description": "The fault as it was", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FaultReport"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    },
    "/faults/{id}/release": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "post": {
        "operationId": "releaseFault",
        "summary": "Lets go what a fault has held up so far. It goes on holding what comes later.",
        "responses": {
          "200": {"description": "How many requests were waiting", "content": {"application/json": {"schema": {"type": "object", "required": ["released"],
            "properties": {"released": {"type": "integer"}}}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// The members of a kind of fault, each after a comma.
  private static func schemas(of kind: any FaultKind.Type) -> [String] {
    kind.members.map { member in
      let words = quoted("Of \(kind.name)\(member.isRequired ? ", which needs it" : ""): \(member.summary).")
      let schema =
        switch member.value {
        case .integer(let range?):
          #"{"type": "integer", "minimum": \#(range.lowerBound), "maximum": \#(range.upperBound), "description": \#(words)}"#
        case .integer(nil): #"{"type": "integer", "description": \#(words)}"#
        case .milliseconds(let longest):
          #"{"type": "integer", "minimum": 1, "maximum": \#(longest), "description": \#(words)}"#
        case .flag: #"{"type": "boolean", "description": \#(words)}"#
        case .choice(let choices):
          #"{"type": "string", "enum": [\#(choices.map { quoted($0.value) }.joined(separator: ", "))], "description": \#(words)}"#
        case .appError: ##"{"$ref": "#/components/schemas/AppError"}"##
        }
      return ",\n        \(quoted(member.name)): \(schema)"
    }
  }

  /// What a fault is; a report has the same and more.
  private static let members = """
    "id": {"type": "string", "minLength": 1, "description": "Given by whoever sets it, or made up."},
        "kind": {"$ref": "#/components/schemas/FaultKind"},
        "scope": {"$ref": "#/components/schemas/FaultScope"},
        "count": {"type": "integer", "minimum": 1, "description": "How many requests it strikes; otherwise all, until it is removed."},
        "probability": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "default": 1, "description": "The chance that it strikes a request in its scope."},
        "seed": {"type": "integer", "minimum": 0, "description": "What the choices by chance follow from; otherwise from the store's seed."},
        "durationSeconds": {"type": "integer", "format": "int64", "minimum": 1, "description": "How long it strikes, on the store's clock; otherwise until it is removed."}\(FaultKinds.all.flatMap(schemas(of:)).joined())
    """

  static let schemas = """
    "Fault": {
      "type": "object",
      "required": ["kind"],
      "properties": {
        \(members)
      }
    },
    "FaultReport": {
      "type": "object",
      "required": ["id", "kind", "setDate", "hits", "waiting", "isActive"],
      "properties": {
        \(members),
        "setDate": {"type": "integer", "format": "int64"},
        "endDate": {"type": "integer", "format": "int64", "description": "When it ends by itself."},
        "remaining": {"type": "integer", "description": "How many requests it will still strike; any number if it is not there."},
        "hits": {"type": "integer", "description": "How many requests it has struck."},
        "waiting": {"type": "integer", "description": "How many requests it holds at this moment."},
        "isActive": {"type": "boolean", "description": "Whether it may strike again."}
      }
    },
    "FaultKind": {
      "type": "string",
      "enum": [\(FaultKinds.all.map { quoted($0.name) }.joined(separator: ", "))],
      "description": \(quoted(FaultKinds.all.map { "\($0.name): \($0.summary)." }.joined(separator: " ")))
    },
    "FaultScope": {
      "type": "object",
      "description": "Which requests the fault is for. What is left out admits everything.",
      "properties": {
        "calls": {"type": "array", "items": {"$ref": "#/components/schemas/RequestKind"}, "description": "Otherwise those that the kind usually strikes."},
        "environment": {"$ref": "#/components/schemas/Environment"},
        "customer": {"type": "string", "description": "Who pays, signs in, or is signed in."},
        "bundleId": {"type": "string"},
        "productId": {"type": "string", "description": "Said by products, quote and confirm only."},
        "installationId": {"type": "string"}
      }
    },
    "AppError": {
      "type": "object",
      "description": "Of appError, which needs it: the error that apps see.",
      "required": ["domain", "code"],
      "properties": {
        "domain": {"type": "string", "minLength": 1, "description": "Such as SKErrorDomain or SSServerErrorDomain."},
        "code": {"type": "integer"},
        "message": {"type": "string"},
        "underlying": {"type": "object", "required": ["domain", "code"], "properties": {"domain": {"type": "string"}, "code": {"type": "integer"}}}
      }
    }
    """
}
