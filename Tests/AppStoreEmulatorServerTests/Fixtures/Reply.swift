import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// A response, as a client reads it.
struct Reply: Sendable {
  let status: Int
  let headers: HTTPFields
  let body: Data

  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
  /// The body as a JSON object; empty if it is not one.
  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

  private var error: [String: Any] { object["error"] as? [String: Any] ?? [:] }
  /// The code and the message of an error response.
  var code: String? { error["code"] as? String }
  var message: String { error["message"] as? String ?? "" }

  /// Returns the objects in the array with that name.
  func list(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }
}

extension TestClientProtocol {
  func get(_ uri: String, headers: [String: String] = [:]) async throws -> Reply {
    try await send(.get, uri, headers: headers)
  }

  /// Posts JSON text, with the content type of JSON unless `headers` has another.
  func post(_ uri: String, _ json: String, headers: [String: String] = [:]) async throws -> Reply {
    try await send(.post, uri, json, headers: headers)
  }

  func send(
    _ method: HTTPRequest.Method, _ uri: String, _ json: String? = nil, headers: [String: String] = [:]
  ) async throws -> Reply {
    var fields = HTTPFields()
    if json != nil { fields[.contentType] = "application/json" }
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value.isEmpty ? nil : value }
    let response = try await executeRequest(
      uri: uri, method: method, headers: fields, body: json.map { ByteBuffer(string: $0) })
    return Reply(status: response.status.code, headers: response.headers, body: Data(buffer: response.body))
  }
}

/// Sends one request over a new connection, with any host name.
func send(
  _ method: HTTPRequest.Method, _ uri: String, _ json: String? = nil, host: String?, headers: [String: String] = [:],
  toPort port: Int
) async throws -> Reply {
  var fields = HTTPFields()
  if json != nil { fields[.contentType] = "application/json" }
  for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
  let request = TestClient.Request(
    uri, method: method, authority: host, headers: fields, body: json.map { ByteBuffer(string: $0) })
  return try await TestClient.withClient(host: "127.0.0.1", port: port) { client async throws in
    let response = try await client.execute(request)
    return Reply(
      status: response.status.code, headers: response.headers, body: Data(buffer: response.body ?? ByteBuffer()))
  }
}

/// Returns a JSON object as text.
func json(_ object: [String: Any]) throws -> String {
  String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
}
