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
  /// ``maximumColumns`` is written as a block of lines for each row instead, the first cell being its title.
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
      var lines: [String] = []
      for column in used.dropFirst() where !cells[column].isEmpty {
        let fact = "\(columns[column].heading) \(cells[column])"
        if let last = lines.last, last.terminalColumns + 3 + fact.terminalColumns <= Self.maximumColumns {
          lines[lines.count - 1] = "\(last)   \(fact)"
        } else {
          lines.append("  \(fact)")
        }
      }
      return used.prefix(1).map { cells[$0] } + lines
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
