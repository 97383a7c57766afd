import Foundation

/// A table in Documentation/commit-points.md, with which the tests compare what they find.
struct CommitPointTable {
  /// The disk states of each process: before its first row, and after each of its rows.
  private(set) var diskStates: [ProcessRole: Set<String>]

  /// - Parameters:
  ///   - heading: the heading above the table.
  ///   - beginning: the disk state of each process before the first row. Rows of other processes are ignored.
  init(under heading: String, beginning: [ProcessRole: String]) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/commit-points.md")
    diskStates = beginning.mapValues { [$0] }
    var isUnderHeading = false
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") {
        isUnderHeading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces) == heading
      }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard isUnderHeading, line.hasPrefix("| "), cells.count == 5, Int(cells[0]) != nil else { continue }
      diskStates[ProcessRole(rawValue: cells[1]) ?? .app]?.insert(cells[3])
    }
  }
}
