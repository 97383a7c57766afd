import StoreModel

// In all functions below, null means the same as a missing key. A missing value is reported as a problem only if it is
// required.
extension ConfigurationReader {
  mutating func string(_ key: String, of entry: ConfigurationEntry) -> String? {
    switch entry[key] {
    case .null: return nil
    case .string(let text): return text
    default:
      report(.wrongType(key: key, expected: "a string"), at: entry)
      return nil
    }
  }

  /// Returns a string that is not blank. Reports a value that is missing, null, blank, or not a string.
  mutating func requiredString(_ key: String, of entry: ConfigurationEntry) -> String? {
    let text = string(key, of: entry)
    if let text, !text.allSatisfy(\.isWhitespace) { return text }
    // A value of another type was reported by `string` already.
    if text != nil || entry[key].isNull { report(.missing(key: key), at: entry) }
    return nil
  }

  mutating func bool(_ key: String, of entry: ConfigurationEntry) -> Bool? {
    switch entry[key] {
    case .null: return nil
    case .bool(let value): return value
    default:
      report(.wrongType(key: key, expected: "true or false"), at: entry)
      return nil
    }
  }

  /// An integer in `range`; `fallback` if there is no value.
  mutating func integer(
    _ key: String, of entry: ConfigurationEntry, in range: ClosedRange<Int>, default fallback: Int
  ) -> Int {
    switch entry[key] {
    case .null: return fallback
    case .number(let text):
      if let value = entry[key].integer, range.contains(value) { return value }
      report(.outOfRange(key: key, value: text, range: range), at: entry)
    default:
      report(.wrongType(key: key, expected: "a whole number"), at: entry)
    }
    return fallback
  }

  mutating func object(_ key: String, of entry: ConfigurationEntry) -> ConfigurationEntry? {
    if let object = entry.entry(key) { return object }
    if !entry[key].isNull { report(.wrongType(key: key, expected: "an object"), at: entry) }
    return nil
  }

  /// The objects of an array.
  ///
  /// - Parameters:
  ///   - nameKeys: the keys under which an object may have its name. The first one with a string is used.
  ///   - owners: the names that precede the object's name in messages.
  mutating func entries(
    _ key: String, of entry: ConfigurationEntry, namedBy nameKeys: [String] = [], within owners: [String] = []
  ) -> [ConfigurationEntry] {
    switch entry[key] {
    case .null: return []
    case .array(let elements):
      var entries: [ConfigurationEntry] = []
      for (index, element) in elements.enumerated() {
        let place = "\(key)[\(index)]"
        guard case .object(let values) = ConfigurationValue(element) else {
          report(.wrongType(key: place, expected: "an object"), at: entry)
          continue
        }
        let name = nameKeys.lazy.compactMap { values[$0] as? String }.first { !$0.isEmpty }
        entries.append(
          ConfigurationEntry(path: entry.path(of: place), names: owners + (name.map { [$0] } ?? []), values: values))
      }
      return entries
    default:
      report(.wrongType(key: key, expected: "an array"), at: entry)
      return []
    }
  }

  mutating func localizations(of entry: ConfigurationEntry) -> [ProductDefinition.Localization] {
    entries("localizations", of: entry, within: entry.names).compactMap { texts in
      guard let locale = requiredString("locale", of: texts) else { return nil }
      return ProductDefinition.Localization(
        locale: locale,
        displayName: string("displayName", of: texts) ?? "",
        description: string("description", of: texts) ?? "")
    }
  }

  mutating func period(_ key: String, of entry: ConfigurationEntry) -> SubscriptionPeriod? {
    guard let text = requiredString(key, of: entry) else { return nil }
    let period = SubscriptionPeriod(iso8601: text)
    if period == nil { report(.malformedPeriod(key: key, value: text), at: entry) }
    return period
  }

  /// Returns the value of `text` in `meanings`. Reports a text that `meanings` does not contain.
  mutating func meaning<Meaning>(
    _ text: String, for key: String, of entry: ConfigurationEntry, in meanings: KeyValuePairs<String, Meaning>
  ) -> Meaning? {
    if let match = meanings.first(where: { $0.key == text }) { return match.value }
    report(.unknownValue(key: key, value: text, allowed: meanings.map(\.key)), at: entry)
    return nil
  }
}
