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

  /// What a fault is; a report has the same and more.
  private static let members = """
    "id": {"type": "string", "minLength": 1, "description": "Given by whoever sets it, or made up."},
        "kind": {"$ref": "#/components/schemas/FaultKind"},
        "scope": {"$ref": "#/components/schemas/FaultScope"},
        "count": {"type": "integer", "minimum": 1, "description": "How many requests it strikes; otherwise all, until it is removed."},
        "probability": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "default": 1, "description": "The chance that it strikes a request in its scope."},
        "seed": {"type": "integer", "minimum": 0, "description": "What the choices by chance follow from; otherwise from the store's seed."},
        "durationSeconds": {"type": "integer", "format": "int64", "minimum": 1, "description": "How long it strikes, on the store's clock; otherwise until it is removed."},
        "error": {"$ref": "#/components/schemas/AppError"},
        "milliseconds": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "Of slowAnswer, which needs it: how much later, of the machine's own time."},
        "appearance": {"type": "string", "enum": ["unavailable", "unreachable"], "default": "unavailable", "description": "Of outage: 503, or no answer at all."},
        "status": {"type": "integer", "description": "Of receiptStatus, which needs it: 21000 to 21010 or 21100 to 21199."},
        "isRetryable": {"type": "boolean", "description": "Of receiptStatus 21100 to 21199: is_retryable."},
        "httpStatus": {"type": "integer", "minimum": 500, "maximum": 599, "description": "Of receiptServerError, which needs it."}
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
      "enum": ["appError", "refusedPassword", "declinedCard", "restrictedDevice", "noAnswer", "slowAnswer", "connectionReset", "answerLost",
        "outage", "heldRequest", "heldAnswer", "heldSheet", "receiptStatus", "receiptServerError"],
      "description": "appError: the payment (or another call) fails with `error`. refusedPassword: signing in is refused. declinedCard: the payment method is declined. restrictedDevice: payments are not allowed. noAnswer: nothing is done and nothing said. slowAnswer: done at once, answered later. connectionReset: before anything is done. answerLost: done and committed, then the connection is reset; confirmations, unless the scope says otherwise. outage: every call fails. heldRequest: waits at the door until it is released. heldAnswer: done, and the answer kept until it is released. heldSheet: the quote's answer is kept until it is released. receiptStatus: verifyReceipt answers with `status`. receiptServerError: verifyReceipt fails with `httpStatus`."
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
