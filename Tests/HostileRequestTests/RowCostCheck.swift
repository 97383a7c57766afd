import Foundation
import Testing

/// Compares the processor time of the same request with a number of stored rows and with twice as many.
struct RowCostCheck {
  /// The allowed factor. Quadratic time would be a factor of four.
  private static let allowance = 2.5
  /// The allowed additional time, because the machine may be busy, and caches fill.
  private static let freeMilliseconds = 60.0
  private static let attempts = 4

  /// The number of times that a request is sent. What a request removes, it can remove only once.
  private static func attempts(_ endpoint: Endpoint) -> Int { endpoint.route.method == .delete ? 1 : attempts }

  /// The least time of each request with `n` rows.
  private(set) var times: [String: Double] = [:]

  /// Sends the request, and notes its time.
  mutating func note(_ endpoint: Endpoint, at server: MeasuredServer, _ request: () throws -> HostileRequest) throws {
    times[endpoint.description] = try least(endpoint, Self.attempts(endpoint), at: server, request)
  }

  /// Sends the request when there are twice as many rows.
  func compare(_ endpoint: Endpoint, at server: MeasuredServer, _ request: () throws -> HostileRequest) throws {
    guard let before = times[endpoint.description] else { return }
    var now = Double.infinity
    for _ in 0..<Self.attempts(endpoint) where now > before * Self.allowance + Self.freeMilliseconds {
      now = min(now, try least(endpoint, 1, at: server, request))
    }
    if now > before * Self.allowance + Self.freeMilliseconds {
      Issue.record("\(endpoint): \(Int(before)) ms, and \(Int(now)) ms with twice as many rows")
    }
    if ProcessInfo.processInfo.environment["STORED_ROWS_PRINT"] != nil {
      print(String(format: "%8.1f %8.1f ms  %@", before, now, endpoint.description))
    }
  }

  private func least(
    _ what: Endpoint, _ attempts: Int, at server: MeasuredServer, _ request: () throws -> HostileRequest
  ) throws -> Double {
    var least = Double.infinity
    for _ in 0..<attempts {
      let (cost, answer) = try server.measure(request())
      try #require(server.isRunning, "\(what): the server has ended")
      if answer.status == 500 || answer.status == 0 { Issue.record("\(what): the server failed (\(answer.status))") }
      least = min(least, cost.processorMilliseconds)
      // A time that is far below what is free needs no second measurement.
      if least < Self.freeMilliseconds / 4 { break }
    }
    return least
  }
}
