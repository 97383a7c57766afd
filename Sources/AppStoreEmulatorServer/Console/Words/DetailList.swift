import WebSupport

/// Names and what they have, one below the other. What is nil or empty is left out.
struct DetailList {
  private var facts: [HTML] = []

  mutating func add(_ name: String, _ value: HTML?) {
    guard let value, !value.isEmpty else { return }
    facts.append("<dt>\(name)</dt><dd>\(value)</dd>")
  }

  mutating func add(_ name: String, text: String?) { add(name, text.map { "\($0)" }) }

  /// A name that somebody chose, whole.
  mutating func add(_ name: String, chosen: String?) { add(name, chosen.map { HTML.name($0) }) }

  var html: HTML { "<dl class=\"facts\">\(facts)</dl>" }
}
