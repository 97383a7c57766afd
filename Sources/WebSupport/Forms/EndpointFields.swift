import APIDescription

/// Makes the fields of a form from the description of an endpoint: the members of its body or of its query.
package struct EndpointFields: Sendable {
  private let name: String
  /// The members, by name. A member of a member has both names, with a dot between them. The values of a dictionary have the name
  /// `*`.
  private let members: [String: Member]

  private struct Member {
    let schema: JSONSchema
    let isRequired: Bool
  }

  package init<Path, Query, Body, Answer>(of endpoint: Endpoint<Path, Query, Body, Answer>) {
    self.init(endpoint.name, Body.self)
  }

  /// The fields of an endpoint that has them in its query.
  package init<Path, Query, Body, Answer>(ofQuery endpoint: Endpoint<Path, Query, Body, Answer>) {
    self.init(endpoint.name, Query.self)
  }

  private init<Value: Decodable>(_ name: String, _ type: Value.Type) {
    self.name = name
    let components = SchemaComponents()
    do {
      members = Self.members(of: try components.schema(of: type), in: components)
    } catch {
      preconditionFailure("\(name) cannot be described: \(error)")
    }
  }

  private static func members(of schema: JSONSchema, in components: SchemaComponents) -> [String: Member] {
    let members: [JSONSchema.Member]
    switch components.resolved(schema).shape {
    case .object(let known): members = known
    case .dictionary(let value): members = [JSONSchema.Member("*", value, isRequired: false)]
    default: return [:]
    }
    return members.reduce(into: [:]) { all, member in
      let own = components.resolved(member.schema).noted(member.schema.note)
      all[member.name] = Member(schema: own, isRequired: member.isRequired)
      for (name, inner) in Self.members(of: own, in: components) {
        all["\(member.name).\(name)"] = Member(schema: inner.schema, isRequired: inner.isRequired && member.isRequired)
      }
    }
  }

  /// Returns the field of a member. The endpoint says which kind of value it has, which values are allowed, and whether it
  /// is required.
  ///
  /// - Parameters:
  ///   - kind: for numbers that are written in another way, such as dates; nil for the kind of the schema.
  ///   - input: nil for that of the schema.
  ///   - hint: nil for the member's description.
  ///   - key: the key of the dictionary whose value the field is in, instead of `*` in the member's name.
  ///   - isRequired: true for a member that a person must give, although programs may omit it.
  package func field(
    _ member: String, _ label: String, _ kind: FieldKind? = nil, text: String = "", input: FormField.Input? = nil,
    hint: String? = nil, key: String? = nil, isRequired: Bool = false, when condition: FormField.Condition? = nil
  ) -> FormField {
    guard let known = members[member] else { preconditionFailure("\(name) has no member \(member)") }
    let (usual, usualInput) = Self.kind(of: known.schema)
    return FormField(
      key.map { member.replacing("*", with: $0) } ?? member, kind ?? usual, label, text: text,
      input: input ?? (kind == nil ? usualInput : .line),
      hint: hint ?? known.schema.note.description, isRequired: isRequired || known.isRequired, when: condition)
  }

  /// Returns the fixed value of a member.
  package func constant(_ member: String, _ text: String) -> FormField {
    guard let known = members[member] else { preconditionFailure("\(name) has no member \(member)") }
    return .constant(member, Self.kind(of: known.schema).0, text)
  }

  private static func kind(of schema: JSONSchema) -> (FieldKind, FormField.Input) {
    let words = schema.values.compactMap { if case .string(let word) = $0 { word } else { nil } }
    switch schema.shape {
    case .boolean: return (.flag, .check)
    case .integer, .integer64, .number: return (.number, .number)
    case .array: return (.texts, .line)
    case .anyObject: return (.jsonObject, .lines)
    default: return (.text, words.isEmpty ? .line : .choice(words.map { .init($0) }))
    }
  }
}
