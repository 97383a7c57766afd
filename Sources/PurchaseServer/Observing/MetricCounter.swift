import StoreModel

/// A counter for each set of labels.
final class MetricCounter: Sendable {
  private let name: String
  private let help: String
  private let values = LockedValue<[MetricLabels: Int64]>([:])

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  func add(_ count: Int64, _ labels: [String: String] = [:]) {
    values.withLock { $0[MetricLabels(labels), default: 0] += count }
  }

  var text: String {
    let lines = values.value.map { "\(name)\($0.key.text) \($0.value)\n" }.sorted()
    return "# HELP \(name) \(help)\n# TYPE \(name) counter\n\(lines.joined())"
  }
}
