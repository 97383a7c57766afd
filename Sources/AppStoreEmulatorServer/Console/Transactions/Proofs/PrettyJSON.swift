import Foundation

/// JSON as people read it: keys sorted, one to a line.
enum PrettyJSON {
  /// The text as it is where it is no JSON.
  static func text(_ data: Data) -> String {
    guard let value = try? JSONSerialization.jsonObject(with: data),
      let pretty = try? JSONSerialization.data(
        withJSONObject: value, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    else { return String(decoding: data, as: UTF8.self) }
    return String(decoding: pretty, as: UTF8.self)
  }

  static func text(
    _ value: some Encodable, keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = keys
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
