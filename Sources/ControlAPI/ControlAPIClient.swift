import APIDescription
import Foundation
import HTTPTransport
import StoreModel

/// Calls the control API of a running store.
package struct ControlAPIClient: Sendable {
  /// An answer, and the JSON from which it was decoded.
  package struct Answer<Value: Sendable>: Sendable {
    package let value: Value
    package let document: Data
  }

  /// The store's address, without `/control/v1`.
  package let address: URL
  /// The control token; nil if there is none.
  private let token: String?
  private let transport: any HTTPSender
  /// The maximum size of an answer, in bytes. It is enough for 1,000 transactions, even if each name in them has 10,000
  /// characters.
  private static let longestAnswerBytes = 256 << 20

  /// - Parameters:
  ///   - address: the store's address, without `/control/v1`.
  ///   - transport: sends the requests.
  package init(address: URL, token: String? = nil, transport: any HTTPSender = SystemTransport()) {
    self.address = address
    self.token = token
    self.transport = transport
  }

  /// Calls an endpoint.
  ///
  /// - Throws: ``ControlAPIError``.
  package func call<Path, Query, Body, Value>(
    _ endpoint: Endpoint<Path, Query, Body, Value>, path: Path, query: Query, body: Body
  ) async throws -> Answer<Value> {
    try await call(
      endpoint, path: path, query: query, json: endpoint.hasBody ? try JSONEncoder().encode(body) : nil)
  }

  /// Calls an endpoint with a body that only the store checks.
  ///
  /// - Parameter json: the body; nil if there is none.
  /// - Throws: ``ControlAPIError``.
  package func call<Path, Query, Body, Value>(
    _ endpoint: Endpoint<Path, Query, Body, Value>, path: Path, query: Query, json: Data?
  ) async throws -> Answer<Value> {
    let reference = try Self.reference(to: endpoint.path, path, query)
    let document = try await document(
      endpoint.method.rawValue.uppercased(), ControlEndpoints.basePath.dropFirst() + reference, json)
    return Answer(value: try read(document), document: document)
  }

  /// Calls an endpoint until it has answered all pages of its list. The document is that of a list with one page.
  ///
  /// - Throws: ``ControlAPIError``.
  package func callAllPages<Path, List: PagedList>(
    _ endpoint: Endpoint<Path, PageQuery, NoMembers, List>, path: Path
  ) async throws -> Answer<List> {
    let first = try await call(endpoint, path: path, query: PageQuery(), body: NoMembers())
    guard first.value.next != nil else { return first }
    var list = first.value
    while let next = list.next {
      list.append(try await call(endpoint, path: path, query: PageQuery(after: next), body: NoMembers()).value)
    }
    return Answer(value: list, document: try JSONEncoder().encode(list))
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
    try JSONDecoder().decode([String: MemberText].self, from: JSONEncoder().encode(object))
      .sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.text) }
  }

  /// Decodes an answer of another API of the store.
  ///
  /// - Throws: ``ControlAPIError/notAStore(address:reason:)``.
  package func read<Value: Decodable>(_ bytes: Data) throws(ControlAPIError) -> Value {
    do {
      return try BoundedJSON.decode(Value.self, from: bytes, within: .file)
    } catch {
      throw .notAStore(address: address, reason: "its answer is not as this version expects it")
    }
  }

  /// Sends a request, and returns the body of the answer.
  ///
  /// - Parameters:
  ///   - path: the path below the store's address, percent-encoded, with its query; such as `control/v1/clock`.
  ///   - json: the body; nil if there is none.
  /// - Throws: ``ControlAPIError``.
  @discardableResult
  package func document(_ method: String, _ path: some StringProtocol, _ json: Data?) async throws -> Data {
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

// MARK: - Endpoints without a path, a query or a body

extension ControlAPIClient {
  package func call<Value>(
    _ endpoint: Endpoint<NoMembers, NoMembers, NoMembers, Value>
  ) async throws -> Answer<Value> {
    try await call(endpoint, path: NoMembers(), query: NoMembers(), body: NoMembers())
  }

  package func call<Query, Value>(
    _ endpoint: Endpoint<NoMembers, Query, NoMembers, Value>, query: Query
  ) async throws -> Answer<Value> {
    try await call(endpoint, path: NoMembers(), query: query, body: NoMembers())
  }

  package func callAllPages<List: PagedList>(
    _ endpoint: Endpoint<NoMembers, PageQuery, NoMembers, List>
  ) async throws -> Answer<List> {
    try await callAllPages(endpoint, path: NoMembers())
  }

  package func call<Path, Value>(
    _ endpoint: Endpoint<Path, NoMembers, NoMembers, Value>, path: Path
  ) async throws -> Answer<Value> {
    try await call(endpoint, path: path, query: NoMembers(), body: NoMembers())
  }

  package func call<Path, Query, Value>(
    _ endpoint: Endpoint<Path, Query, NoMembers, Value>, path: Path, query: Query
  ) async throws -> Answer<Value> {
    try await call(endpoint, path: path, query: query, body: NoMembers())
  }

  package func call<Body, Value>(
    _ endpoint: Endpoint<NoMembers, NoMembers, Body, Value>, body: Body
  ) async throws -> Answer<Value> {
    try await call(endpoint, path: NoMembers(), query: NoMembers(), body: body)
  }

  package func call<Path, Body, Value>(
    _ endpoint: Endpoint<Path, NoMembers, Body, Value>, path: Path, body: Body
  ) async throws -> Answer<Value> {
    try await call(endpoint, path: path, query: NoMembers(), body: body)
  }
}

/// A JSON string, number or boolean as text, for a path or a query.
private struct MemberText: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      text = flag ? "true" : "false"
    } else if let number = try? container.decode(Int64.self) {
      text = String(number)
    } else {
      text = try container.decode(String.self)
    }
  }
}
