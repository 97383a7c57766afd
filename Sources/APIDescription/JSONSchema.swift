import StoreModel

/// A JSON Schema, with the keywords that the APIs of this package use. Implements JSON Schema 2020-12 as OpenAPI 3.1
/// embeds it.
package struct JSONSchema: Hashable, Sendable {
  package indirect enum Shape: Hashable, Sendable {
    case string
    case boolean
    case number
    case integer
    /// An integer of up to 64 bits.
    case integer64
    /// Binary data as a string in base64.
    case base64
    case array(JSONSchema)
    /// An object with these members and no others.
    case object([Member])
    /// An object with arbitrary member names, whose values all have one schema.
    case dictionary(JSONSchema)
    /// Any JSON object.
    case anyObject
    /// A reference to a schema in the document's components, by name.
    case reference(String)
  }

  /// A member of an object.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let schema: JSONSchema
    package let isRequired: Bool

    package init(_ name: String, _ schema: JSONSchema, isRequired: Bool) {
      self.name = name
      self.schema = schema
      self.isRequired = isRequired
    }
  }

  /// A string, number or boolean in JSON.
  package enum Literal: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case boolean(Bool)
  }

  package var shape: Shape
  /// The allowed values. If empty, all values of the shape are allowed.
  package var values: [Literal] = []
  package var note = MemberNote()

  package init(_ shape: Shape, values: [Literal] = [], note: MemberNote = MemberNote()) {
    self.shape = shape
    self.values = values
    self.note = note
  }

  /// Returns the schema with the properties of `note` added. They override the schema's own properties.
  package func noted(_ note: MemberNote) -> JSONSchema {
    var schema = self
    schema.note = schema.note.adding(note)
    return schema
  }
}

/// Properties of a member that its type does not express: a description, bounds, a default value.
///
/// A string literal is a description.
package struct MemberNote: Hashable, Sendable, ExpressibleByStringLiteral {
  package var description: String?
  package var minimum: Int64?
  package var maximum: Int64?
  /// The value must be greater than this.
  package var exclusiveMinimum: Int64?
  /// The minimum length of a string, in Unicode code points. `maxLength` uses the same unit.
  package var minLength: Int?
  package var maxLength: Int?
  /// A regular expression (ECMA-262) that a string must match.
  package var pattern: String?
  /// The `format` keyword, such as `uuid`.
  package var format: String?
  /// The minimum number of elements of an array. `maxItems` is the maximum.
  package var minItems: Int?
  package var maxItems: Int?
  package var defaultValue: JSONSchema.Literal?
  /// Whether the value may be `null`, which means "no value".
  package var isNullable = false

  package init(
    _ description: String? = nil, minimum: Int64? = nil, maximum: Int64? = nil, exclusiveMinimum: Int64? = nil,
    minLength: Int? = nil, maxLength: Int? = nil, pattern: String? = nil, format: String? = nil, minItems: Int? = nil,
    maxItems: Int? = nil, defaultValue: JSONSchema.Literal? = nil, isNullable: Bool = false
  ) {
    self.description = description
    self.minimum = minimum
    self.maximum = maximum
    self.exclusiveMinimum = exclusiveMinimum
    self.minLength = minLength
    self.maxLength = maxLength
    self.pattern = pattern
    self.format = format
    self.minItems = minItems
    self.maxItems = maxItems
    self.defaultValue = defaultValue
    self.isNullable = isNullable
  }

  package init(stringLiteral description: String) { self.init(description) }

  func adding(_ other: MemberNote) -> MemberNote {
    MemberNote(
      other.description ?? description, minimum: other.minimum ?? minimum, maximum: other.maximum ?? maximum,
      exclusiveMinimum: other.exclusiveMinimum ?? exclusiveMinimum, minLength: other.minLength ?? minLength,
      maxLength: other.maxLength ?? maxLength, pattern: other.pattern ?? pattern, format: other.format ?? format,
      minItems: other.minItems ?? minItems, maxItems: other.maxItems ?? maxItems,
      defaultValue: other.defaultValue ?? defaultValue,
      isNullable: other.isNullable || isNullable)
  }
}

// MARK: - JSON

extension JSONSchema.Literal: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .boolean(let flag): try container.encode(flag)
    }
  }
}

extension JSONSchema: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyCodingKey.self)
    if let type = typeName {
      if note.isNullable {
        try container.encode([type, "null"], forKey: AnyCodingKey("type"))
      } else {
        try container.encode(type, forKey: AnyCodingKey("type"))
      }
    }
    switch shape {
    case .integer64: try container.encode("int64", forKey: AnyCodingKey("format"))
    case .base64: try container.encode("base64", forKey: AnyCodingKey("contentEncoding"))
    case .array(let items): try container.encode(items, forKey: AnyCodingKey("items"))
    case .object(let members):
      let required = members.filter(\.isRequired).map(\.name)
      if !required.isEmpty { try container.encode(required, forKey: AnyCodingKey("required")) }
      try container.encode(
        Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema) }), forKey: AnyCodingKey("properties"))
    case .dictionary(let values): try container.encode(values, forKey: AnyCodingKey("additionalProperties"))
    case .anyObject: try container.encode(true, forKey: AnyCodingKey("additionalProperties"))
    case .reference(let name): try container.encode("#/components/schemas/\(name)", forKey: AnyCodingKey("$ref"))
    case .string, .boolean, .number, .integer: break
    }
    if !values.isEmpty { try container.encode(values, forKey: AnyCodingKey("enum")) }
    try container.encodeIfPresent(note.description, forKey: AnyCodingKey("description"))
    try container.encodeIfPresent(note.minimum, forKey: AnyCodingKey("minimum"))
    try container.encodeIfPresent(note.maximum, forKey: AnyCodingKey("maximum"))
    try container.encodeIfPresent(note.exclusiveMinimum, forKey: AnyCodingKey("exclusiveMinimum"))
    try container.encodeIfPresent(note.minLength, forKey: AnyCodingKey("minLength"))
    try container.encodeIfPresent(note.maxLength, forKey: AnyCodingKey("maxLength"))
    try container.encodeIfPresent(note.pattern, forKey: AnyCodingKey("pattern"))
    try container.encodeIfPresent(note.format, forKey: AnyCodingKey("format"))
    try container.encodeIfPresent(note.minItems, forKey: AnyCodingKey("minItems"))
    try container.encodeIfPresent(note.maxItems, forKey: AnyCodingKey("maxItems"))
    try container.encodeIfPresent(note.defaultValue, forKey: AnyCodingKey("default"))
  }

  private var typeName: String? {
    switch shape {
    case .string, .base64: "string"
    case .boolean: "boolean"
    case .number: "number"
    case .integer, .integer64: "integer"
    case .array: "array"
    case .object, .dictionary, .anyObject: "object"
    case .reference: nil
    }
  }
}
