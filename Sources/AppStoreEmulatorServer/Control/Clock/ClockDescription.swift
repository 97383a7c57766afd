import HTTPDoors

/// The store's clock, as the control door's description has it.
enum ClockDescription: DescribedSubject {
  static let paths = """
    "/clock": {
      "get": {
        "operationId": "clock",
        "summary": "What the store's clock shows, and how fast it goes.",
        "responses": {
          "200": {"description": "The clock", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Clock"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      },
      "patch": {
        "operationId": "changeClock",
        "summary": "Puts the clock forward, or changes its rate, or both. It never goes back, and stops on the last day but one of 2063, when its certificates end.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ClockChange"}}}},
        "responses": {
          "200": {"description": "The clock", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Clock"}}}},
          "default": {"$ref": "#/components/responses/Refused"}
        }
      }
    }
    """

  static let schemas = """
    "Clock": {
      "type": "object",
      "required": ["now", "rate"],
      "properties": {
        "now": {"type": "integer", "format": "int64"},
        "rate": {"type": "number", "description": "Store seconds in one second of wall time; 0 where it stands still."}
      }
    },
    "ClockChange": {
      "type": "object",
      "properties": {
        "advanceMilliseconds": {"type": "integer", "format": "int64", "minimum": 0, "description": "Not together with now."},
        "now": {"type": "integer", "format": "int64", "description": "A date that is not before what the clock shows, 2014 to 30 December 2063. It survives a restart."},
        "rate": {"type": "number", "minimum": 0, "maximum": 1000000, "description": "Until the emulator ends; then --time-rate holds again."}
      }
    }
    """
}
