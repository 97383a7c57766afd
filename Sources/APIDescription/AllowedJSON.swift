import Foundation

/// The keys and values that a JSON document may contain.
///
/// ``fault(in:checksValues:)`` finds unknown keys. Decoding would ignore them, and a misspelt key would silently lose
/// its value. After a failed decoding, the function also finds texts that are not allowed, and values that should be
/// objects. The decoder's error does not say what is allowed in these cases.
package indirect enum AllowedJSON: Sendable {
  /// Any value, with any keys.
  case anything
  /// An object with only these keys.
  case object([String: AllowedJSON])
  /// A list. Each element may contain what the associated value allows.
  case list(AllowedJSON)
  /// An object with arbitrary keys. Each of its values may contain what the associated value allows.
  case map(AllowedJSON)
  /// One of these texts.
  case word([String])
  /// A text that matches this regular expression.
  case pattern(String)
  /// A UUID as text.
  case uuid

  /// Returns a sentence about the first part of `value` that is not allowed; nil if there is none.
  ///
  /// - Parameter checksValues: if false, only keys are checked. If true, texts and the values that should be objects are
  ///   checked too. Other wrong types are not checked, because the decoder's error explains them.
  package func fault(in value: Any, checksValues: Bool = false) -> String? {
    fault(in: value, at: "", checksValues)
  }

  private func fault(in value: Any, at path: String, _ checksValues: Bool) -> String? {
    switch self {
    case .anything: return nil
    case .object(let known):
      guard let object = value as? [String: Any] else {
        // Decoding itself reports a document that is not an object, and a null where null is not allowed.
        if !checksValues || path.isEmpty || value is NSNull { return nil }
        return
          "\(path) is no object. Write it as {\(known.keys.sorted().map { "\"\($0)\": …" }.joined(separator: ", "))}."
      }
      if let unknown = object.keys.filter({ known[$0] == nil }).min() {
        let place = path.isEmpty ? "" : " in \(path)"
        return
          "\(unknown.prefix(80)) is not known here\(place); there are \(known.keys.sorted().joined(separator: ", "))."
      }
      return known.sorted { $0.key < $1.key }.lazy.compactMap { key, keys in
        object[key].flatMap { keys.fault(in: $0, at: path.isEmpty ? key : "\(path).\(key)", checksValues) }
      }.first
    case .list(let keys):
      guard let list = value as? [Any] else { return nil }
      return list.enumerated().lazy.compactMap { keys.fault(in: $1, at: "\(path)[\($0)]", checksValues) }.first
    case .map(let keys):
      guard let object = value as? [String: Any] else { return nil }
      return object.sorted { $0.key < $1.key }.lazy.compactMap {
        keys.fault(in: $1, at: "\(path).\($0.prefix(80))", checksValues)
      }
      .first
    case .word(let words):
      guard checksValues, let word = value as? String, !words.contains(word) else { return nil }
      return "\(path): \(word.prefix(80)) is not allowed; there are \(words.joined(separator: ", "))."
    case .pattern(let pattern):
      guard checksValues, let text = value as? String, let expression = try? Regex(pattern),
        (try? expression.wholeMatch(in: text)) == nil
      else { return nil }
      return "\(path): \(text.prefix(80).debugDescription) is not allowed; it has to match \(pattern)."
    case .uuid:
      guard checksValues, let text = value as? String, UUID(uuidString: text) == nil else { return nil }
      return "\(path): \(text.prefix(80).debugDescription) is not allowed; it has to be a UUID."
    }
  }
}

extension AllowedJSON {
  /// Creates the description of the JSON that `schema` allows.
  package init(_ schema: JSONSchema, in components: SchemaComponents) {
    let schema = components.resolved(schema)
    let words = schema.values.compactMap { if case .string(let word) = $0 { word } else { nil } }
    switch schema.shape {
    case .string where !words.isEmpty: self = .word(words)
    case .string where schema.note.format == "uuid": self = .uuid
    case .string: self = schema.note.pattern.map(Self.pattern) ?? .anything
    case .object(let members):
      self = .object(
        Dictionary(uniqueKeysWithValues: members.map { ($0.name, AllowedJSON($0.schema, in: components)) }))
    case .array(let items): self = .list(AllowedJSON(items, in: components))
    case .dictionary(let values): self = .map(AllowedJSON(values, in: components))
    default: self = .anything
    }
  }
}
