import StoreModel

// In all functions below, null means the same as a missing key. A value that is required is reported if it cannot be
// read. Another value is then left out, with a warning.
extension ConfigurationReader {
  mutating func string(_ key: String, of entry: ConfigurationEntry) -> String? {
    switch entry[key] {
    case .null: return nil
    case .string(let text): return text
    default:
      leaveOut(.value, .wrongType(key: key, expected: "a string"), at: entry)
      return nil
    }
  }

  /// Returns a string that is not blank. Reports a value that is missing, null, blank, or not a string.
  mutating func requiredString(_ key: String, of entry: ConfigurationEntry) -> String? {
    switch entry[key] {
    case .string(let text) where !text.allSatisfy(\.isWhitespace): return text
    case .string, .null: report(.missing(key: key), at: entry)
    default: report(.wrongType(key: key, expected: "a string"), at: entry)
    }
    return nil
  }

  mutating func bool(_ key: String, of entry: ConfigurationEntry) -> Bool? {
    switch entry[key] {
    case .null: return nil
    case .bool(let value): return value
    default:
      leaveOut(.value, .wrongType(key: key, expected: "true or false"), at: entry)
      return nil
    }
  }

  /// An integer in `range`; `fallback` if there is no value. `refuse` is called if the value cannot be used.
  mutating func integer(
    _ key: String, of entry: ConfigurationEntry, in range: ClosedRange<Int>, default fallback: Int,
    refuse: (inout Self, StoreKitConfigurationError.Kind) -> Void
  ) -> Int {
    switch entry[key] {
    case .null: return fallback
    case .number(let text):
      if let value = entry[key].integer, range.contains(value) { return value }
      refuse(&self, .outOfRange(key: key, value: text, range: range))
    default:
      refuse(&self, .wrongType(key: key, expected: "a whole number"))
    }
    return fallback
  }

  mutating func object(_ key: String, of entry: ConfigurationEntry) -> ConfigurationEntry? {
    if let object = entry.entry(key) { return object }
    if !entry[key].isNull { leaveOut(.value, .wrongType(key: key, expected: "an object"), at: entry) }
    return nil
  }

  /// The objects of an array.
  ///
  /// - Parameters:
  ///   - nameKeys: the keys under which an object may have its name. The first one with a string is used.
  ///   - owners: the names that precede the object's name in messages.
  ///   - part: the part of the file that is lost if a value is not an object.
  mutating func entries(
    _ key: String, of entry: ConfigurationEntry, namedBy nameKeys: [String] = [], within owners: [String] = [],
    losing part: Part = .value
  ) -> [ConfigurationEntry] {
    switch entry[key] {
    case .null: return []
    case .array(let elements):
      var entries: [ConfigurationEntry] = []
      for (index, element) in elements.enumerated() {
        let place = "\(key)[\(index)]"
        guard case .object(let values) = ConfigurationValue(element) else {
          leaveOut(part, .wrongType(key: place, expected: "an object"), at: entry)
          continue
        }
        let name = nameKeys.lazy.compactMap { values[$0] as? String }.first { !$0.isEmpty }
        entries.append(
          ConfigurationEntry(path: entry.path(of: place), names: owners + (name.map { [$0] } ?? []), values: values))
      }
      return entries
    default:
      leaveOut(part == .product ? .products : .value, .wrongType(key: key, expected: "an array"), at: entry)
      return []
    }
  }

  mutating func localizations(of entry: ConfigurationEntry) -> [ProductDefinition.Localization] {
    entries("localizations", of: entry, within: entry.names, losing: .texts).compactMap { texts in
      read(.texts) { reader in
        reader.requiredString("locale", of: texts).map { locale in
          ProductDefinition.Localization(
            locale: locale,
            displayName: reader.string("displayName", of: texts) ?? "",
            description: reader.string("description", of: texts) ?? "")
        }
      }
    }
  }

  mutating func period(_ key: String, of entry: ConfigurationEntry) -> CalendarPeriod? {
    guard let text = requiredString(key, of: entry) else { return nil }
    let period = CalendarPeriod(iso8601: text)
    if period == nil { report(.malformedPeriod(key: key, value: text), at: entry) }
    return period
  }
}
