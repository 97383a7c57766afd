import StoreModel

/// A histogram of durations for each set of labels.
final class MetricHistogram: Sendable {
  /// The upper bounds of the buckets, in seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  private struct Series: Sendable {
    var counts = [Int64](repeating: 0, count: MetricHistogram.bounds.count)
    var count: Int64 = 0
    var nanoseconds: Int64 = 0
  }

  private let name: String
  private let help: String
  private let series = LockedValue<[MetricLabels: Series]>([:])

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  func record(nanoseconds: Int64, _ labels: [String: String] = [:]) {
    let seconds = Double(nanoseconds) / 1e9
    series.withLock { all in
      var series = all[MetricLabels(labels)] ?? Series()
      for (index, bound) in Self.bounds.enumerated() where seconds <= bound { series.counts[index] += 1 }
      series.count += 1
      series.nanoseconds += nanoseconds
      all[MetricLabels(labels)] = series
    }
  }

  var text: String {
    let series = series.value
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
