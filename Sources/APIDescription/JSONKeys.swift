import Foundation

/// The keys that a JSON document may have. Finds unknown keys, which decoding would ignore: a misspelt key would
/// silently lose its value.
package indirect enum JSONKeys: Sendable {
  /// Any value, with any keys.
  case anything
  /// An object with only these keys.
  case object([String: JSONKeys])
  /// A list whose elements all have the same keys.
  case list(JSONKeys)
  /// An object with arbitrary keys, whose values all have the same keys.
  case map(JSONKeys)

  /// Returns a sentence that names the first unknown key in `value`; nil if there is none. Values of a wrong type are
  /// not checked, because decoding reports them.
  package func fault(in value: Any, at path: String = "") -> String? {
    switch self {
    case .anything: return nil
    case .object(let known):
      guard let object = value as? [String: Any] else { return nil }
      if let unknown = object.keys.filter({ known[$0] == nil }).min() {
        let place = path.isEmpty ? "" : " in \(path)"
        return
          "\(unknown.prefix(80)) is not known here\(place); there are \(known.keys.sorted().joined(separator: ", "))."
      }
      return known.sorted { $0.key < $1.key }.lazy.compactMap { key, keys in
        object[key].flatMap { keys.fault(in: $0, at: path.isEmpty ? key : "\(path).\(key)") }
      }.first
    case .list(let keys):
      guard let list = value as? [Any] else { return nil }
      return list.enumerated().lazy.compactMap { keys.fault(in: $1, at: "\(path)[\($0)]") }.first
    case .map(let keys):
      guard let object = value as? [String: Any] else { return nil }
      return object.sorted { $0.key < $1.key }.lazy.compactMap { keys.fault(in: $1, at: "\(path).\($0.prefix(80))") }
        .first
    }
  }

  /// Whether a string in `value` contains the character U+0000, which PostgreSQL cannot store.
  package static func hasNull(_ value: Any) -> Bool {
    switch value {
    case let text as String: text.utf8.contains(0)
    case let object as [String: Any]: object.contains { $0.utf8.contains(0) || hasNull($1) }
    case let list as [Any]: list.contains { hasNull($0) }
    default: false
    }
  }
}

extension JSONKeys {
  /// Creates the keys that a schema allows.
  package init(_ schema: JSONSchema, in components: SchemaComponents) {
    switch components.resolved(schema).shape {
    case .object(let members):
      self = .object(
        Dictionary(uniqueKeysWithValues: members.map { ($0.name, JSONKeys($0.schema, in: components)) }))
    case .array(let items): self = .list(JSONKeys(items, in: components))
    case .dictionary(let values): self = .map(JSONKeys(values, in: components))
    default: self = .anything
    }
  }
}
