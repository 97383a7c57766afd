import Foundation

/// The members of a JSON object as texts, by their names. Members that are objects are left out.
struct JSONMembers: Decodable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private(set) var values: [String: String] = [:]
  /// The members that are objects.
  private(set) var objects: [String: JSONMembers] = [:]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    for name in container.allKeys {
      if let text = try? container.decode(String.self, forKey: name) {
        values[name.stringValue] = text
      } else if let flag = try? container.decode(Bool.self, forKey: name) {
        values[name.stringValue] = "\(flag)"
      } else if let number = try? container.decode(Int64.self, forKey: name) {
        values[name.stringValue] = "\(number)"
      } else if let texts = try? container.decode([String].self, forKey: name) {
        values[name.stringValue] = texts.joined(separator: ",")
      } else {
        objects[name.stringValue] = try container.decode(JSONMembers.self, forKey: name)
      }
    }
  }

  /// Reads the payload of a JWS. The signature is not checked.
  init(jws: String) throws {
    let part = jws.split(separator: ".")[1].replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - part.count % 4) % 4)
    self = try JSONDecoder().decode(JSONMembers.self, from: Data(base64Encoded: part + padding) ?? Data())
  }
}
