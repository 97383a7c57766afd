/// A JSON value of a configuration.
enum ConfigurationValue: Hashable, Sendable, Decodable {
  case null
  case flag(Bool)
  case whole(Int64)
  case decimal(Double)
  case text(String)
  case list([ConfigurationValue])
  case object([String: ConfigurationValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .whole(number)
    } else if let number = try? container.decode(Double.self) {
      self = .decimal(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([ConfigurationValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: ConfigurationValue].self))
    }
  }

  var object: [String: ConfigurationValue]? { if case .object(let object) = self { object } else { nil } }

  var text: String? { if case .text(let text) = self { text } else { nil } }
}
