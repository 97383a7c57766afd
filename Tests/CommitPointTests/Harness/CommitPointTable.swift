import Foundation

/// A table in Documentation/commit-points.md, which the found commit points are compared with.
struct CommitPointTable {
  /// For each party, what its books say before the first line that concerns it, and after each.
  private(set) var landmarks: [Party: Set<String>]

  /// - Parameters:
  ///   - heading: what the table stands under.
  ///   - beginning: what the books say before the first line; of other parties nothing is read.
  init(under heading: String, beginning: [Party: String]) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/commit-points.md")
    landmarks = beginning.mapValues { [$0] }
    var isHere = false
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") { isHere = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces) == heading }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard isHere, line.hasPrefix("| "), cells.count == 5, Int(cells[0]) != nil else { continue }
      landmarks[Party(rawValue: cells[1]) ?? .app]?.insert(cells[3])
    }
  }
}
