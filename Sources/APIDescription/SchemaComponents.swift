import Foundation

/// The schemas of an API's types, by name.
///
/// To derive the schema of a type, this class decodes a value of the type. The decoder returns a sample for every
/// member, and records the member's name and type.
package final class SchemaComponents {
  package private(set) var schemas: [String: JSONSchema] = [:]

  package init() {}

  /// Returns a type's schema. For a named type this is a reference, and the schema itself is added to ``schemas``.
  ///
  /// - Throws: ``SchemaError``.
  package func schema<Value: Decodable>(of type: Value.Type) throws -> JSONSchema { try sample(type).schema }

  /// Returns the schema of an object whose type is known only at run time.
  ///
  /// - Throws: ``SchemaError``.
  func schema(ofObject type: any APIObject.Type) throws -> JSONSchema { try object(type).0 }

  /// Returns the members of an object.
  ///
  /// - Throws: ``SchemaError``.
  package func members(of type: (some APIObject).Type) throws -> [JSONSchema.Member] {
    try read(type).members
  }

  /// Returns the schema that a reference names, or the schema itself.
  package func resolved(_ schema: JSONSchema) -> JSONSchema {
    if case .reference(let name) = schema.shape, let target = schemas[name] { target } else { schema }
  }

  fileprivate func sample<Value: Decodable>(_ type: Value.Type) throws -> (schema: JSONSchema, value: Value) {
    let (schema, value): (JSONSchema, Any) =
      switch type {
      case let type as any APIValue.Type: (try self.schema(ofValue: type), type.sample)
      case let type as any SampledCollection.Type: try type.sample(in: self)
      case let type as any APIObject.Type: try object(type)
      default: throw SchemaError.noSchema("\(type)")
      }
    guard let value = value as? Value else { throw SchemaError.noSchema("\(type)") }
    return (schema, value)
  }

  private func schema(ofValue type: (some APIValue).Type) throws -> JSONSchema {
    let schema = try type.schema(self)
    guard let name = type.componentName else { return schema }
    return try add(schema, named: name)
  }

  private func object<Object: APIObject>(_ type: Object.Type) throws -> (JSONSchema, Object) {
    let (members, value) = try read(type)
    let schema = JSONSchema(.object(members), note: MemberNote(type.schemaDescription))
    return (try add(schema, named: type.schemaName), value)
  }

  private func add(_ schema: JSONSchema, named name: String) throws -> JSONSchema {
    if let known = schemas[name], known != schema { throw SchemaError.usedName(name) }
    schemas[name] = schema
    return JSONSchema(.reference(name))
  }

  private func read<Object: APIObject>(_ type: Object.Type) throws -> (members: [JSONSchema.Member], value: Object) {
    let log = MemberLog(components: self)
    let value = try Object(from: SchemaDecoder(log: log))
    if let unknown = type.notes.keys.filter({ name in !log.members.contains { $0.name == name } }).min() {
      throw SchemaError.unknownMember(unknown, of: "\(type)")
    }
    let members = log.members.map { member in
      JSONSchema.Member(
        member.name, type.notes[member.name].map(member.schema.noted) ?? member.schema, isRequired: member.isRequired)
    }
    return (members, value)
  }
}

/// Thrown when the schema of a type cannot be derived.
package enum SchemaError: Error, CustomStringConvertible {
  /// The type is neither an ``APIObject`` nor an ``APIValue``.
  case noSchema(String)
  /// A note names a member that the type does not have.
  case unknownMember(String, of: String)
  /// Another type with another schema has the same name.
  case usedName(String)
  /// The type does not decode members by name. It has to be an ``APIValue``.
  case noMembers

  package var description: String {
    switch self {
    case .noSchema(let type): "\(type) has no schema: make it an APIObject or an APIValue."
    case .unknownMember(let name, let type): "\(type) has a note on \(name), but no such member."
    case .usedName(let name): "Two types have the name \(name) in the description. Give one of them another name."
    case .noMembers: "A type that is no object has to be an APIValue."
    }
  }
}

/// A collection whose elements have one type. Its schema and sample value are derived from that type.
private protocol SampledCollection {
  static func sample(in components: SchemaComponents) throws -> (JSONSchema, Any)
}

extension Array: SampledCollection where Element: Decodable {
  fileprivate static func sample(in components: SchemaComponents) throws -> (JSONSchema, Any) {
    let (schema, element) = try components.sample(Element.self)
    return (JSONSchema(.array(schema)), [element])
  }
}

extension Dictionary: SampledCollection where Key == String, Value: Decodable {
  fileprivate static func sample(in components: SchemaComponents) throws -> (JSONSchema, Any) {
    let (schema, value) = try components.sample(Value.self)
    return (JSONSchema(.dictionary(schema)), ["sample": value])
  }
}

// MARK: - The decoder

/// Records the members that a type decodes.
private final class MemberLog {
  let components: SchemaComponents
  private(set) var members: [JSONSchema.Member] = []
  private var optionalNames: Set<String> = []

  init(components: SchemaComponents) { self.components = components }

  func noteOptional(_ name: String) { optionalNames.insert(name) }

  func sample<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    let (schema, value) = try components.sample(type)
    if !members.contains(where: { $0.name == name }) {
      members.append(JSONSchema.Member(name, schema, isRequired: !optionalNames.contains(name)))
    }
    return value
  }
}

private struct SchemaDecoder: Decoder {
  let log: MemberLog
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(SampleContainer<Key>(log: log))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw SchemaError.noMembers }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw SchemaError.noMembers }
}

private struct SampleContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let log: MemberLog
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }

  /// `Codable` calls this before it decodes an optional member, which shows that the member is optional.
  func decodeNil(forKey key: Key) -> Bool {
    log.noteOptional(key.stringValue)
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try log.sample(type, key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw SchemaError.noMembers }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw SchemaError.noMembers }
  func superDecoder() throws -> any Decoder { throw SchemaError.noMembers }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw SchemaError.noMembers }
}
