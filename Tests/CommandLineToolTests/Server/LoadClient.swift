import AsyncHTTPClient
import Foundation
import NIOCore
import StoreModel

/// A client of one or more servers, which repeats a request until one of them responds.
struct LoadClient: Sendable {
  struct Answer: Sendable {
    let status: UInt
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try JSONDecoder().decode(Value.self, from: body)
    }
  }

  let ports: [Int]

  /// Sends a request to one server after the other until one responds.
  ///
  /// - Parameter first: chooses the server that is asked first.
  func send(
    _ method: String, _ path: String, _ token: String?, _ document: [String: Any]? = nil, first: Int = 0
  ) async throws -> Answer {
    let body = try document.map { try JSONSerialization.data(withJSONObject: $0) }
    var attempt = first
    while true {
      attempt += 1
      var request = HTTPClientRequest(url: "http://127.0.0.1:\(ports[attempt % ports.count])\(path)")
      request.method = .init(rawValue: method)
      if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
      if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
      do {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        let answer = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        // The server is overloaded or shutting down. A client must retry.
        if response.status.code < 500, ![408, 429].contains(response.status.code) {
          return Answer(status: response.status.code, body: answer)
        }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        // The server was killed before, during or after the request. The client retries.
        await Task.yield()
      }
    }
  }
}
