import Foundation
import Testing

/// Sends a request in growing sizes, and compares what each costs.
struct CostCheck {
  let server: MeasuredServer

  /// The factor between successive sizes.
  private static let step = 4.0
  /// The allowed factor above proportional cost. Quadratic cost would be a factor of four.
  private static let allowance = 2.2
  /// The allowed additional cost, because the machine may be busy, and caches fill.
  private static let freeMilliseconds = 50.0
  private static let freeMebibytes = 64.0
  /// The usual memory for reading a body.
  private static let usualTimesSize = 8.0
  /// The allowed memory as a multiple of the body's size.
  private static let mostTimesSize = 40.0
  private static let attempts = 5

  /// - Parameters:
  ///   - what: the description in a failure.
  ///   - largest: the largest size in bytes.
  ///   - request: makes a request of about this number of bytes.
  func isLinear(_ what: String, upTo largest: Int, _ request: (Int) -> HostileRequest) throws {
    let sizes = [largest / 16, largest / 4, largest].filter { $0 > 0 }
    var costs = try sizes.map { try measured(what, $0, request) }
    for _ in 1..<Self.attempts {
      guard fault(sizes, costs) != nil else { return }
      // The minimum of several measurements, because other load only adds to it.
      for (index, size) in sizes.enumerated() {
        costs[index] = costs[index].least(try measured(what, size, request))
      }
    }
    if let fault = fault(sizes, costs) { Issue.record("\(what): \(fault)") }
  }

  private func measured(
    _ what: String, _ size: Int, _ request: (Int) -> HostileRequest
  ) throws -> MeasuredServer.Cost {
    let (cost, answer) = try server.measure(request(size))
    try #require(server.isRunning, "\(what), \(size) bytes: the server has ended")
    if answer.status == 500 { Issue.record("\(what), \(size) bytes: the server failed (500)") }
    return cost
  }

  private func fault(_ sizes: [Int], _ costs: [MeasuredServer.Cost]) -> String? {
    let figures = zip(sizes, costs).map { "\($0) bytes \($1)" }.joined(separator: "; ")
    for (size, (less, more)) in zip(sizes, zip(costs, costs.dropFirst())) {
      let size = Double(size) / 1_048_576
      let allowed = Self.step * Self.allowance
      if more.processorMilliseconds > less.processorMilliseconds * allowed + Self.freeMilliseconds {
        return "time grows faster than the request: \(figures)"
      }
      // A small request may reuse memory that the process has freed before.
      if more.mebibytes > max(less.mebibytes, Self.usualTimesSize * size) * allowed + Self.freeMebibytes {
        return "memory grows faster than the request: \(figures)"
      }
    }
    let mebibytes = Double(sizes.last ?? 0) / 1_048_576
    if let last = costs.last, last.mebibytes > mebibytes * Self.mostTimesSize + Self.freeMebibytes {
      return "memory is more than \(Int(Self.mostTimesSize)) times the request: \(figures)"
    }
    return nil
  }
}
