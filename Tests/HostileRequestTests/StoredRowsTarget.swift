import Foundation
import HTTPTypes
import Testing

/// The settings of the measurement with stored rows.
enum StoredRowsSettings {
  private static let environment = ProcessInfo.processInfo.environment
  /// The number of rows of the larger measurement.
  static let largest = environment["STORED_ROWS"].flatMap { Int($0) } ?? 2_000
  /// Whether the longest times are printed.
  static let prints = environment["STORED_ROWS_PRINT"] != nil
}

/// A server with stored rows, which knows a request to each of its endpoints.
protocol StoredRowsTarget {
  var measured: MeasuredServer { get }
  /// Returns a request that succeeds. It may send others first.
  func request(to endpoint: Endpoint) throws -> HostileRequest
  /// The endpoints to which no request is known that succeeds, and the status that they answer.
  var refusals: [String: Int] { get }
  /// The endpoints that are measured only once, because they remove what they need.
  var once: Set<String> { get }
}

extension StoredRowsTarget {
  /// The number of times that an endpoint is measured.
  func attempts(_ endpoint: Endpoint) -> Int { once.contains(endpoint.description) ? 1 : 4 }

  /// Sends a request to an endpoint, and returns the processor time of the server.
  func milliseconds(of endpoint: Endpoint) throws -> Double {
    let (cost, answer) = try measured.measure(try request(to: endpoint))
    try #require(measured.isRunning, "\(endpoint): the server has ended")
    let expected = refusals[endpoint.description]
    if expected.map({ answer.status != $0 }) ?? !(200..<400).contains(answer.status) {
      Issue.record(
        "\(endpoint): the status is \(answer.status): \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
    }
    return cost.processorMilliseconds
  }
}

extension MeasuredServer {
  /// Sends a request that must succeed, and returns the members of its answer.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil
  ) throws -> [String: Any] {
    let request = HostileRequest(
      method, Array(path.utf8), fields: token.map { [("Authorization", Array("Bearer \($0)".utf8))] } ?? [],
      body: body.map { Array($0.utf8) })
    let answer = try measure(request).answer
    try #require(
      (200..<300).contains(answer.status),
      "\(method) \(path): \(answer.status) \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
    return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
  }
}
