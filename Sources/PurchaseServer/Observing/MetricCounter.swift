import Foundation

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
