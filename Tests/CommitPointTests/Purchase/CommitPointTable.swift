import Foundation

/// The table in Documentation/commit-points.md, which the found commit points are compared with.
enum CommitPointTable {
  /// For each party, what its books say before the first line that concerns it, and after each.
  static func landmarks() throws -> [Party: [String]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/commit-points.md")
    var landmarks: [Party: [String]] = [.store: ["nothing"], .app: ["nothing"]]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5, Int(cells[0]) != nil else { continue }
      landmarks[cells[1] == "store" ? .store : .app]?.append(cells[3])
    }
    return landmarks
  }
}
