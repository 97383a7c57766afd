import WebSupport

/// A list of names and values. Values that are nil or empty are omitted.
struct DetailList {
  private var details: [HTML] = []

  mutating func add(_ name: String, _ value: HTML?) {
    guard let value, !value.isEmpty else { return }
    details.append("<dt>\(name)</dt><dd>\(value)</dd>")
  }

  mutating func add(_ name: String, text: String?) { add(name, text.map { "\($0)" }) }

  /// Adds a name that a user chose, without shortening it.
  mutating func add(_ name: String, chosen: String?) { add(name, chosen.map { HTML.identifier($0) }) }

  var html: HTML { "<dl class=\"details\">\(details)</dl>" }
}
