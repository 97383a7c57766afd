import WebPages

/// Paths of the control door, made of parts that come from anybody.
enum ControlPath {
  /// - Parameters:
  ///   - parts: below `control/v1`; each is percent-encoded.
  ///   - query: what has no value is left out.
  static func to(_ parts: String..., query: KeyValuePairs<String, String?> = [:]) -> String {
    "control/v1/" + parts.map(AddressText.segment).joined(separator: "/")
      + AddressText.query(query.map { (name: $0.key, value: $0.value) })
  }
}
