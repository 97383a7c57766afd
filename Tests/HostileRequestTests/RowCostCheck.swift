import Foundation
import Testing

/// Compares what a request costs with a number of stored rows, and with twice as many.
struct RowCostCheck {
  /// The allowed factor. Quadratic time would be a factor of four.
  private static let allowance = 2.5
  /// The allowed additional time, because the machine may be busy, and caches fill.
  private static let freeMilliseconds = 60.0

  /// The least time of each request with the smaller number of rows.
  private var times: [String: Double] = [:]

  /// Notes the least time of several attempts with the smaller number of rows. Other load only adds to a time.
  ///
  /// - Parameter measure: sends the request once, and returns its milliseconds.
  mutating func note(_ request: String, attempts: Int, _ measure: () throws -> Double) rethrows {
    var least = Double.infinity
    for _ in 0..<attempts {
      least = min(least, try measure())
      // A further measurement could change the result by less than is free.
      if least < Self.freeMilliseconds / 4 { break }
    }
    times[request] = least
  }

  /// Measures with twice as many rows, again if the time is too long, and records an issue if each time is.
  func compare(_ request: String, attempts: Int, _ measure: () throws -> Double) rethrows {
    guard let before = times[request] else {
      Issue.record("\(request): not measured with fewer rows")
      return
    }
    let allowed = before * Self.allowance + Self.freeMilliseconds
    var least = Double.infinity
    for _ in 0..<attempts where least > allowed { least = min(least, try measure()) }
    if least > allowed {
      Issue.record("\(request): \(Int(before)) ms, and \(Int(least)) ms with twice as many rows")
    }
    if StoredRowsSettings.prints { print(String(format: "%8.1f %8.1f ms  %@", before, least, request)) }
  }
}
