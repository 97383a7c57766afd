import Foundation

/// What is counted, as Prometheus reads it (text format 0.0.4).
public final class ServiceMetrics: Sendable {
  let requests = MetricCounter(
    "purchase_server_requests_total", "Requests by method, route and status.")
  let durations = MetricHistogram(
    "purchase_server_request_seconds", "How long requests took, until the head of the answer.")
  let redemptions = MetricCounter(
    "purchase_server_redemptions_total", "Purchases and proofs by what came of them.")
  let reverifications = MetricCounter(
    "purchase_server_reverifications_total", "Proofs that the store was asked about again, by what came of it.")
  let storeTroubles = MetricCounter(
    "purchase_server_store_troubles_total", "What went wrong between here and the store.")

  public init() {}

  var text: String {
    [requests.text, durations.text, redemptions.text, reverifications.text, storeTroubles.text].joined()
  }
}

/// A number for each set of labels that only grows.
final class MetricCounter: @unchecked Sendable {
  private let name: String
  private let help: String
  private let lock = NSLock()
  private var values: [MetricLabels: Int64] = [:]

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  func add(_ count: Int64, _ labels: [String: String] = [:]) {
    lock.withLock { values[MetricLabels(labels), default: 0] += count }
  }

  var text: String {
    let values = lock.withLock { self.values }
    let lines = values.map { "\(name)\($0.key.text) \($0.value)\n" }.sorted()
    return "# HELP \(name) \(help)\n# TYPE \(name) counter\n\(lines.joined())"
  }
}

/// How many of what was measured were at most so large.
final class MetricHistogram: @unchecked Sendable {
  /// In seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  private struct Series {
    var counts = [Int64](repeating: 0, count: MetricHistogram.bounds.count)
    var count: Int64 = 0
    var nanoseconds: Int64 = 0
  }

  private let name: String
  private let help: String
  private let lock = NSLock()
  private var series: [MetricLabels: Series] = [:]

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  func record(nanoseconds: Int64, _ labels: [String: String] = [:]) {
    let seconds = Double(nanoseconds) / 1e9
    lock.withLock {
      var series = self.series[MetricLabels(labels)] ?? Series()
      for (place, bound) in Self.bounds.enumerated() where seconds <= bound { series.counts[place] += 1 }
      series.count += 1
      series.nanoseconds += nanoseconds
      self.series[MetricLabels(labels)] = series
    }
  }

  var text: String {
    let series = lock.withLock { self.series }
    var lines = "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
    for (labels, values) in series.sorted(by: { $0.key.text < $1.key.text }) {
      for (bound, count) in zip(Self.bounds, values.counts) {
        lines += "\(name)_bucket\(labels.with("le", "\(bound)").text) \(count)\n"
      }
      lines += "\(name)_bucket\(labels.with("le", "+Inf").text) \(values.count)\n"
      lines += "\(name)_sum\(labels.text) \(Double(values.nanoseconds) / 1e9)\n"
      lines += "\(name)_count\(labels.text) \(values.count)\n"
    }
    return lines
  }
}

/// The labels of a series, in one order.
struct MetricLabels: Hashable, Sendable {
  private let values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  func with(_ name: String, _ value: String) -> MetricLabels {
    MetricLabels(values.merging([name: value]) { $1 })
  }

  var text: String {
    guard !values.isEmpty else { return "" }
    let pairs = values.sorted { $0.key < $1.key }.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }
}
