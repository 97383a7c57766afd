/// Rows of cells under headings, for a terminal.
struct TextTable {
  /// A column's heading and how its cells are aligned.
  struct Column {
    let heading: String
    var isNumber = false
  }

  static let maximumColumns = 100

  let columns: [Column]
  /// As many cells in each as there are columns; strings that may be shown.
  let rows: [[String]]

  /// The table, one line for each row; columns that are empty in every row are left out. What would be wider than
  /// ``maximumColumns`` is written as a block of lines for each row instead.
  var lines: [String] {
    let used = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    let widths = used.map { column in
      rows.reduce(columns[column].heading.terminalColumns) { max($0, $1[column].terminalColumns) }
    }
    guard widths.reduce(0, +) + 2 * max(widths.count - 1, 0) <= Self.maximumColumns else { return blocks(used) }
    let headings = columns.map(\.heading)
    return ([headings] + rows).map { cells in
      zip(used, widths).map { column, width in
        let blanks = String(repeating: " ", count: width - cells[column].terminalColumns)
        return columns[column].isNumber ? blanks + cells[column] : cells[column] + blanks
      }.joined(separator: "  ").trimmingTrailingBlanks
    }
  }

  private func blocks(_ used: [Int]) -> [String] {
    rows.flatMap { cells in
      let filled = used.filter { !cells[$0].isEmpty }
      let width = filled.map { columns[$0].heading.terminalColumns }.max() ?? 0
      return filled.enumerated().map { place, column in
        let heading = columns[column].heading
        let blanks = String(repeating: " ", count: width - heading.terminalColumns + 2)
        return (place == 0 ? "- " : "  ") + heading + blanks + cells[column]
      }
    }
  }
}

extension String {
  fileprivate var trimmingTrailingBlanks: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
