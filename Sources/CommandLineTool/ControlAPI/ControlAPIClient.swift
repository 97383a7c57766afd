import APIDescription
import ControlAPI
import Foundation
import HTTPTransport
import StoreModel
import WebSupport

/// Calls the control API of a running store.
struct ControlAPIClient: Sendable {
  /// An answer, and the JSON that it was read from.
  struct Answer<Value: Sendable>: Sendable {
    let value: Value
    let document: Data
  }

  /// The store's address, without `/control/v1`.
  let address: URL
  /// The control token; nil for none.
  private let token: String?
  private let transport: SystemTransport
  /// The maximum size of an answer, in bytes: a thousand transactions whose every name has 10,000 characters.
  private static let longestAnswerBytes = 256 << 20

  /// - Parameters:
  ///   - address: of the store, without `/control/v1`.
  ///   - timeoutSeconds: the maximum time to wait for the connection, and then for each part of the answer.
  init(address: URL, token: String? = nil, timeoutSeconds: Double = 60) {
    self.address = address
    self.token = token
    transport = SystemTransport(timeoutSeconds: timeoutSeconds)
  }

  /// Calls an endpoint.
  ///
  /// - Throws: ``ControlAPIError``.
  func call<Path, Query, Body, Value>(
    _ endpoint: Endpoint<Path, Query, Body, Value>, path: Path = NoMembers(), query: Query = NoMembers(),
    body: Body = NoMembers()
  ) async throws -> Answer<Value> {
    try await call(
      endpoint, path: path, query: query, json: endpoint.hasBody ? try JSONEncoder().encode(body) : nil)
  }

  /// Calls an endpoint with a body that the store checks.
  ///
  /// - Parameter json: the body; nil for none.
  /// - Throws: ``ControlAPIError``.
  func call<Path, Query, Body, Value>(
    _ endpoint: Endpoint<Path, Query, Body, Value>, path: Path = NoMembers(), query: Query = NoMembers(), json: Data?
  ) async throws -> Answer<Value> {
    let reference = try Self.reference(to: endpoint.path, path, query)
    // The content type is required also for an empty body.
    let json = endpoint.method == .get ? nil : json ?? Data()
    let document = try await document(
      endpoint.method.rawValue.uppercased(), ControlEndpoints.basePath.dropFirst() + reference, json)
    return Answer(value: try read(document), document: document)
  }

  private static func reference(
    to template: String, _ path: some APIObject, _ query: some APIObject
  ) throws -> String {
    let parts = try texts(of: path).reduce(template) { text, member in
      text.replacing("{\(member.name)}", with: AddressText.segment(member.value))
    }
    return parts + AddressText.query(try texts(of: query).map { (name: $0.name, value: $0.value) })
  }

  /// The members of an object as text, sorted by name.
  private static func texts(of object: some APIObject) throws -> [(name: String, value: String)] {
    guard case .object(let members)? = JSONValue(parsing: try JSONEncoder().encode(object)) else { return [] }
    return members.sorted { $0.key < $1.key }.compactMap { name, value in
      switch value {
      case .string(let text), .number(let text): (name, text)
      case .bool(let flag): (name, flag ? "true" : "false")
      case .null, .array, .object: nil
      }
    }
  }

  /// Reads an answer of another API of the store.
  ///
  /// - Throws: ``ControlAPIError/notAStore(address:reason:)``.
  func read<Value: Decodable>(_ bytes: Data) throws(ControlAPIError) -> Value {
    do {
      return try BoundedJSON.decode(Value.self, from: bytes, within: .file)
    } catch {
      throw .notAStore(address: address, reason: "its answer is not as this version expects it")
    }
  }

  /// Sends a request, and returns the body of the answer.
  ///
  /// - Parameters:
  ///   - path: below the store's address, percent-encoded, with its query; such as `control/v1/clock`.
  ///   - json: the body; nil for none.
  /// - Throws: ``ControlAPIError``.
  @discardableResult
  func document(_ method: String, _ path: some StringProtocol, _ json: Data?) async throws -> Data {
    let root = address.absoluteString
    guard let url = URL(string: "\(root.hasSuffix("/") ? String(root.dropLast()) : root)/\(path)") else {
      throw ControlAPIError.notAStore(address: address, reason: "\(path) is no path of it")
    }
    var fields: [String: String] = [:]
    if json != nil { fields["Content-Type"] = "application/json" }
    if let token { fields["Authorization"] = "Bearer \(token)" }
    let reply: HTTPReply
    do {
      reply = try await transport.reply(
        to: HTTPCall(method, url, fields: fields, body: json), longestBodyBytes: Self.longestAnswerBytes)
    } catch let failure as HTTPFailure {
      throw ControlAPIError(failure, of: url, address: address)
    }
    guard (200..<300).contains(reply.status) else { throw ControlAPIError(reply, address: address) }
    return reply.body
  }
}
