import Foundation
import Testing

/// Compares what a request costs with a number of stored rows, and with twice as many.
struct RowCostCheck {
  /// The allowed factor. Quadratic time would be a factor of four.
  private static let allowance = 2.5
  /// The allowed additional time, because the machine may be busy, and caches fill.
  private static let freeMilliseconds = 60.0

  /// The time from which on a request has a line of its own in the printed table.
  private static let notableMilliseconds = 100.0

  /// The least time of each request with the smaller number of rows.
  private var times: [String: Double] = [:]
  /// Each request with its least times, in the order in which they were compared.
  private var compared: [(request: String, half: Double, all: Double)] = []

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
  mutating func compare(_ request: String, attempts: Int, _ measure: () throws -> Double) rethrows {
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
    compared.append((request, before, least))
  }

  /// A Markdown table of the requests that took long, and a line for all others.
  ///
  /// - Parameter rows: the larger number of rows.
  func table(_ title: String, rows: Int) -> String {
    let notable = compared.filter { max($0.half, $0.all) >= Self.notableMilliseconds }.sorted { $0.all > $1.all }
    let longest = compared.map { max($0.half, $0.all) }.filter { $0 < Self.notableMilliseconds }.max() ?? 0
    let lines = notable.map { request, half, all in
      String(format: "| `%@` | %.0f | %.0f | %.1f × |", request, half, all, all / max(half, 0.1))
    }
    return """

      \(title), processor time in ms:

      | request | \(rows / 2) rows | \(rows) rows | ratio |
      |---|---:|---:|---:|
      \(lines.joined(separator: "\n"))

      The \(compared.count - notable.count) other requests took \(String(format: "%.0f", longest)) ms at most.

      """
  }
}
