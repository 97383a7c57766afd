import Foundation
import HTTPTypes
import WebSupport

/// One endpoint of a server, and the parts of its requests.
struct Endpoint: Sendable, CustomStringConvertible {
  /// A position in a body for a value: the text before and after it.
  struct Position: Sendable {
    let name: String
    let before: String
    let after: String

    /// The whole body.
    static let whole = Position(name: "the body", before: "", after: "")
  }

  let route: ServedRoute
  let positions: [Position]

  var description: String { "\(route.method) \(route.path)" }
  var takesBody: Bool { ![HTTPRequest.Method.get, .head, .options].contains(route.method) }

  /// Returns the path with values for its parameters.
  ///
  /// - Parameters:
  ///   - values: the values by the names of the parameters.
  ///   - hostile: replaces one value: its index, and the text.
  func path(_ values: [String: String], hostile: (position: Int, text: [UInt8])? = nil) -> [UInt8] {
    var bytes: [UInt8] = []
    var position = 0
    for part in route.path.split(separator: "/") {
      bytes.append(UInt8(ascii: "/"))
      guard part.first == "{" || part.first == ":" || part.contains("*") else {
        bytes += Array(part.utf8)
        continue
      }
      let name = part.trimmingCharacters(in: CharacterSet(charactersIn: "{}:*"))
      bytes += hostile.flatMap { $0.position == position ? $0.text : nil } ?? Array((values[name] ?? "x").utf8)
      position += 1
    }
    return bytes.isEmpty ? Array("/".utf8) : bytes
  }

  var parameterCount: Int {
    route.path.split(separator: "/").count { $0.first == "{" || $0.first == ":" || $0.contains("*") }
  }

  /// The endpoint with every member that `description` (OpenAPI) has for its body.
  init(_ route: ServedRoute, described description: [String: Any]) {
    self.route = route
    var positions = [Position.whole]
    if let schema = OpenAPIBody(description).schema(of: route) {
      let members = OpenAPIBody(description).members(of: schema)
      for (name, _) in members {
        let others = members.filter { $0.name != name }.map { "\"\($0.name)\":\($0.example)" }
        positions.append(
          Position(
            name: name, before: "{" + others.map { $0 + "," }.joined() + "\"\(name)\":", after: "}"))
      }
    }
    positions += Self.undescribed(route)
    self.positions = positions
  }

  /// The positions of endpoints that the description omits: Apple's, and OpenStoreKit's internal ones.
  private static func undescribed(_ route: ServedRoute) -> [Position] {
    if route.path.hasSuffix("verifyReceipt") {
      return ["receipt-data", "password", "exclude-old-transactions"].map {
        Position(name: $0, before: "{\"\($0)\":", after: "}")
      }
    }
    if let endpoint = ServerAPIEndpoints.declared(route.path, route.method) {
      return ServerAPIEndpoints.members(endpoint.name).map {
        Position(name: $0, before: "{\"\($0)\":", after: "}")
      }
    }
    guard route.path.hasPrefix("/device/") else { return [] }
    let call = [
      "registration", "credentials", "productIDs", "payment", "quote", "transactionID", "after", "applicationUsername",
      "waitSeconds",
    ]
    return [Position(name: "installationID", before: "{\"call\":{},\"installationID\":", after: "}")]
      + call.map { Position(name: "call.\($0)", before: "{\"installationID\":\"x\",\"call\":{\"\($0)\":", after: "}}") }
  }
}

/// The bodies of an OpenAPI description.
private struct OpenAPIBody {
  private let document: [String: Any]

  init(_ document: [String: Any]) { self.document = document }

  func schema(of route: ServedRoute) -> [String: Any]? {
    let paths = document["paths"] as? [String: Any] ?? [:]
    let path = paths.first { Self.shape($0.key) == Self.shape(route.path) }?.value as? [String: Any]
    let operation = path?[route.method.rawValue.lowercased()] as? [String: Any]
    let body = resolved(operation?["requestBody"] as? [String: Any])
    let content = body?["content"] as? [String: Any]
    return resolved((content?["application/json"] as? [String: Any])?["schema"] as? [String: Any])
  }

  /// Returns the members by name, each with a valid example.
  func members(of schema: [String: Any]) -> [(name: String, example: String)] {
    let properties = schema["properties"] as? [String: Any] ?? [:]
    return properties.sorted { $0.key < $1.key }.map { name, property in
      (name, example(of: resolved(property as? [String: Any]) ?? [:]))
    }
  }

  private func example(of schema: [String: Any]) -> String {
    if let first = (schema["enum"] as? [Any])?.first as? String { return "\"\(first)\"" }
    return switch schema["type"] as? String {
    case "string": "\"x\""
    case "integer", "number": "1"
    case "boolean": "true"
    case "array": "[]"
    default: "{\(members(of: schema).map { "\"\($0.name)\":\($0.example)" }.joined(separator: ","))}"
    }
  }

  private func resolved(_ schema: [String: Any]?) -> [String: Any]? {
    guard let reference = schema?["$ref"] as? String else { return schema }
    var value: Any? = document
    for part in reference.split(separator: "/").dropFirst() { value = (value as? [String: Any])?[String(part)] }
    return resolved(value as? [String: Any])
  }

  /// A path without the names of its parameters, which may differ between description and router.
  private static func shape(_ path: String) -> [String] {
    path.split(separator: "/").map { $0.first == "{" ? "{}" : String($0) }
  }
}
