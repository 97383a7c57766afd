/// The labels of a time series, sorted by name.
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
