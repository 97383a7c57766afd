/// A JSON object of a configuration file, with the names by which error messages identify it.
struct ConfigurationEntry {
  /// The path of the object, such as `products[2]`; empty for the object of the whole file.
  let path: String
  /// The name of the product that contains the object, if there is one, and the object's own name.
  let names: [String]
  private let values: [String: Any]

  init(path: String = "", names: [String] = [], values: [String: Any]) {
    self.path = path
    self.names = names
    self.values = values
  }

  /// The path and names together, such as `products[2] ("com.example.lamp")`.
  var location: String {
    let named = names.filter { !$0.isEmpty }.map(\.quotedForReport)
    return named.isEmpty ? path : "\(path) (\(named.joined(separator: ", ")))"
  }

  subscript(key: String) -> ConfigurationValue { ConfigurationValue(values[key]) }

  /// The path of the value of `key`.
  func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// The object under `key`; nil if the value is not an object.
  func entry(_ key: String) -> ConfigurationEntry? {
    guard case .object(let values) = self[key] else { return nil }
    return ConfigurationEntry(path: path(of: key), names: names, values: values)
  }
}
