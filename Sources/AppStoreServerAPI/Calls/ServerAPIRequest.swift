import Foundation
import StoreModel

/// The values of a request: those of its path and query, decoded, and its body.
public struct ServerAPIRequest: Hashable, Sendable {
  /// A value of a query. A name can occur several times.
  public struct QueryItem: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The values in the path, by the names in the endpoint's path.
  public var parameters: [String: String]
  public var query: [QueryItem]
  /// The JSON body; empty if there is none.
  public var body: Data

  public init(parameters: [String: String] = [:], query: [QueryItem] = [], body: Data = Data()) {
    self.parameters = parameters
    self.query = query
    self.body = body
  }

  /// The path and query for an endpoint, percent-encoded, without a slash at the start.
  public func target(of endpoint: ServerAPIEndpoint) -> String {
    let path = endpoint.path.split(separator: "/").map { part in
      guard part.hasPrefix("{"), part.hasSuffix("}") else { return String(part) }
      return Self.encoded(parameters[String(part.dropFirst().dropLast())] ?? "")
    }.joined(separator: "/")
    guard !query.isEmpty else { return path }
    return path + "?" + query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
  }

  /// Percent-encodes everything except the unreserved characters (RFC 3986, section 2.3).
  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

// MARK: Reading

extension ServerAPIRequest {
  /// The id of a transaction in the path.
  func transactionID(
    _ name: String, or code: ServerAPIErrorCode = .invalidTransactionId
  ) throws(ServerAPIRefusal) -> TransactionID {
    let text = parameters[name] ?? ""
    guard let id = TransactionID(rawValue: text) else {
      throw ServerAPIRefusal(code, "the path's \(name) is \(Self.shown(text)), not a number of 1 to 20 digits")
    }
    return id
  }

  /// A text in the path, which must not be empty.
  func text(_ name: String, or code: ServerAPIErrorCode) throws(ServerAPIRefusal) -> String {
    guard let text = parameters[name], !text.isEmpty else { throw ServerAPIRefusal(code, "the path has no \(name)") }
    return text
  }

  func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

  /// The only value of a name in the query; nil if there is none.
  func value(_ name: String, or code: ServerAPIErrorCode) throws(ServerAPIRefusal) -> String? {
    let values = values(name)
    guard values.count <= 1 else { throw ServerAPIRefusal(code, "the query has \(name) \(values.count) times") }
    return values.first
  }

  /// A value of the query that `parse` must accept.
  func value<Value>(
    _ name: String, or code: ServerAPIErrorCode, _ expected: String, _ parse: (String) -> Value?
  ) throws(ServerAPIRefusal) -> Value? {
    guard let text = try value(name, or: code) else { return nil }
    return try Self.parsed(text, name, code, expected, parse)
  }

  /// All values of a name in the query, each of which `parse` must accept.
  func values<Value>(
    _ name: String, or code: ServerAPIErrorCode, _ expected: String, _ parse: (String) -> Value?
  ) throws(ServerAPIRefusal) -> [Value] {
    var parsed: [Value] = []
    for text in values(name) { parsed.append(try Self.parsed(text, name, code, expected, parse)) }
    return parsed
  }

  func date(_ name: String, or code: ServerAPIErrorCode) throws(ServerAPIRefusal) -> StoreDate? {
    try value(name, or: code, "a date in UNIX milliseconds") { text in
      Int64(text).map(StoreDate.init(millisecondsSince1970:))
    }
  }

  func bool(_ name: String, or code: ServerAPIErrorCode) throws(ServerAPIRefusal) -> Bool? {
    try value(name, or: code, "true or false") { Bool($0.lowercased()) }
  }

  private static func parsed<Value>(
    _ text: String, _ name: String, _ code: ServerAPIErrorCode, _ expected: String, _ parse: (String) -> Value?
  ) throws(ServerAPIRefusal) -> Value {
    guard let value = parse(text) else {
      throw ServerAPIRefusal(code, "the query's \(name) is \(shown(text)), not \(expected)")
    }
    return value
  }

  /// A value of a request, bounded for a message.
  static func shown(_ text: String) -> String { JSONText.string(String(text.prefix(80))) }
}
