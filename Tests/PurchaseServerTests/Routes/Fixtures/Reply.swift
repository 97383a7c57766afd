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

  init(_ response: TestResponse) {
    status = response.status.code
    headers = response.headers
    body = Data(buffer: response.body)
  }

  /// The body as a JSON object; empty if it is not one.
  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

  private var error: [String: Any] { object["error"] as? [String: Any] ?? [:] }
  /// The code and the message of an error response.
  var code: String? { error["code"] as? String }
  var message: String { error["message"] as? String ?? "" }
  var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the objects in the array with that name.
  func list(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }

  /// The goods that a redemption gave for each purchase; empty for a refused purchase.
  var given: [[String: Any]] { list("purchases").map { $0["given"] as? [String: Any] ?? [:] } }

  /// Returns the files that a redemption gave for one purchase.
  func files(_ place: Int = 0) -> [[String: Any]] {
    guard place < given.count else { return [] }
    return (given[place]["delivery"] as? [String: Any])?["files"] as? [[String: Any]] ?? []
  }
}

extension TestClientProtocol {
  func send(
    _ method: HTTPRequest.Method, _ uri: String, _ json: String? = nil, token: String? = nil,
    headers: [String: String] = [:]
  ) async throws -> Reply {
    var fields = HTTPFields()
    if json != nil { fields[.contentType] = "application/json" }
    if let token { fields[.authorization] = "Bearer \(token)" }
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    return Reply(
      try await executeRequest(uri: uri, method: method, headers: fields, body: json.map { ByteBuffer(string: $0) }))
  }

  func get(_ uri: String, token: String? = nil, headers: [String: String] = [:]) async throws -> Reply {
    try await send(.get, uri, token: token, headers: headers)
  }

  func post(_ uri: String, _ json: String, token: String? = nil) async throws -> Reply {
    try await send(.post, uri, json, token: token)
  }
}

/// Returns a JSON object as text.
func json(_ object: [String: Any]) throws -> String {
  String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
}
