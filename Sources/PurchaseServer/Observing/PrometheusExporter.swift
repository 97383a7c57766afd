import CoreMetrics
import StoreModel

/// Keeps the metrics that are listed at its creation, and writes them in Prometheus' text format 0.0.4.
///
/// Counters and timers of swift-metrics with these names are recorded; timers are histograms in seconds. Other metrics
/// are ignored.
final class PrometheusExporter: MetricsFactory {
  /// The upper bounds of a histogram's buckets, in seconds.
  fileprivate static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  /// The metrics, in the order in which they are written.
  private let metrics: [Metric]

  /// A metric with all its series. A metric without series is written too, so that its name and meaning can be found.
  struct Metric: Sendable {
    enum Kind: String {
      case counter, histogram
    }

    let name: String
    let kind: Kind
    let help: String
    fileprivate let series = LockedValue<[MetricLabels: Series]>([:])

    init(_ name: String, _ kind: Kind, _ help: String) {
      self.name = name
      self.kind = kind
      self.help = help
    }
  }

  fileprivate struct Series: Sendable {
    var count: Int64 = 0
    var nanoseconds: Int64 = 0
    /// For each upper bound of a histogram, the number of values up to it.
    var buckets = [Int64](repeating: 0, count: PrometheusExporter.bounds.count)
  }

  init(_ metrics: [Metric]) { self.metrics = metrics }

  /// All metrics as text.
  var text: String { metrics.map(\.text).joined() }

  private func series(_ name: String, _ kind: Metric.Kind, _ dimensions: [(String, String)]) -> SeriesHandler? {
    metrics.first { $0.name == name && $0.kind == kind }.map {
      SeriesHandler(metric: $0, labels: MetricLabels(Dictionary(dimensions) { $1 }))
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, .counter, dimensions) ?? NOOPMetricsHandler.instance
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, .histogram, dimensions) ?? NOOPMetricsHandler.instance
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    NOOPMetricsHandler.instance
  }

  // Series are kept as long as the exporter exists.
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
}

/// Changes one series of a metric.
private final class SeriesHandler: CounterHandler, TimerHandler {
  private let metric: PrometheusExporter.Metric
  private let labels: MetricLabels

  init(metric: PrometheusExporter.Metric, labels: MetricLabels) {
    self.metric = metric
    self.labels = labels
  }

  func increment(by amount: Int64) {
    metric.series.withLock { $0[labels, default: .init()].count += amount }
  }

  func reset() {
    metric.series.withLock { $0[labels] = .init() }
  }

  func recordNanoseconds(_ nanoseconds: Int64) {
    let seconds = Double(nanoseconds) / 1e9
    metric.series.withLock { all in
      var series = all[labels] ?? .init()
      for (index, bound) in PrometheusExporter.bounds.enumerated() where seconds <= bound { series.buckets[index] += 1 }
      series.count += 1
      series.nanoseconds += nanoseconds
      all[labels] = series
    }
  }
}

extension PrometheusExporter.Metric {
  var text: String {
    let series = series.value.sorted { $0.key.text < $1.key.text }
    let lines = series.map { labels, values in
      kind == .counter ? "\(name)\(labels.text) \(values.count)\n" : histogram(labels, values)
    }
    return "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n\(lines.joined())"
  }

  private func histogram(_ labels: MetricLabels, _ values: PrometheusExporter.Series) -> String {
    let buckets = zip(PrometheusExporter.bounds, values.buckets).map { bound, count in
      "\(name)_bucket\(labels.with("le", "\(bound)").text) \(count)\n"
    }
    return """
      \(buckets.joined())\(name)_bucket\(labels.with("le", "+Inf").text) \(values.count)
      \(name)_sum\(labels.text) \(Double(values.nanoseconds) / 1e9)
      \(name)_count\(labels.text) \(values.count)

      """
  }
}
