/// Rows of cells under headings, for a terminal.
struct TextTable {
  /// A column: its heading, alignment and style.
  struct Column {
    let heading: String
    var isNumber = false
    /// Whether its cells may be shortened if the table is too wide.
    var canBeCut = false
    /// Returns the style of a cell on a terminal with colours; nil for plain text.
    var style: (@Sendable (String) -> TextStyle?)?
  }

  static let maximumColumns = 100
  /// The width below which a column is not cut further.
  private static let narrowestColumns = 12

  let columns: [Column]
  /// The rows: one cell for each column, with untrusted text escaped.
  let rows: [[String]]

  /// The table, at most ``maximumColumns`` wide. See ``lines(maximumColumns:hasColor:)``.
  var lines: [String] { lines(maximumColumns: Self.maximumColumns) }

  /// Returns the table, one line for each row; no lines if there are no rows.
  ///
  /// Columns that are empty in all rows are omitted. If the table is too wide, cells that may be cut are shortened. If
  /// it is still too wide, each row becomes a block of lines, with the first cell as its title.
  ///
  /// - Parameters:
  ///   - maximumColumns: the greatest width of the table.
  ///   - hasColor: whether styles are used.
  func lines(maximumColumns: Int, hasColor: Bool = false) -> [String] {
    guard !rows.isEmpty else { return [] }
    let used = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    guard let widths = self.widths(of: used, maximumColumns: maximumColumns) else {
      return blocks(used, maximumColumns: maximumColumns, hasColor: hasColor)
    }
    let fitting = rows.map { cells in
      var cells = cells
      for (column, width) in zip(used, widths) { cells[column] = cells[column].cut(toColumns: width) }
      return cells
    }
    func line(_ cells: [String], _ styled: (Int) -> String) -> String {
      let last = used.last { !cells[$0].isEmpty }
      return zip(used, widths).prefix { $0.0 <= last ?? -1 }.map { column, width in
        let blanks = String(repeating: " ", count: width - cells[column].terminalColumns)
        if columns[column].isNumber { return blanks + styled(column) }
        return column == last ? styled(column) : styled(column) + blanks
      }.joined(separator: "  ")
    }
    let headings = columns.map(\.heading)
    return [line(headings) { hasColor ? TextStyle.heading.applied(to: headings[$0]) : headings[$0] }]
      + fitting.map { cells in line(cells) { styled(cells, $0, hasColor: hasColor) } }
  }

  /// Returns the widths of the columns; nil if the table does not fit. The widest column that may be cut is shortened
  /// first.
  private func widths(of used: [Int], maximumColumns: Int) -> [Int]? {
    var widths = used.map { column in
      rows.reduce(columns[column].heading.terminalColumns) { max($0, $1[column].terminalColumns) }
    }
    var excess = widths.reduce(0, +) + 2 * max(widths.count - 1, 0) - maximumColumns
    while excess > 0 {
      let cuttable = widths.indices.filter {
        columns[used[$0]].canBeCut && widths[$0] > Self.narrowestColumns
      }
      guard let widest = cuttable.max(by: { widths[$0] < widths[$1] }) else { return nil }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func styled(_ cells: [String], _ column: Int, hasColor: Bool) -> String {
    guard hasColor, let style = columns[column].style?(cells[column]) else { return cells[column] }
    return style.applied(to: cells[column])
  }

  private func blocks(_ used: [Int], maximumColumns: Int, hasColor: Bool) -> [String] {
    rows.flatMap { cells in
      var lines: [String] = []
      // The width of the last line, without escape sequences.
      var width = 0
      for column in used.dropFirst() where !cells[column].isEmpty {
        let heading = columns[column].heading
        let fact = "\(heading) \(styled(cells, column, hasColor: hasColor))"
        let factWidth = heading.terminalColumns + 1 + cells[column].terminalColumns
        if let last = lines.last, width + 3 + factWidth <= maximumColumns {
          lines[lines.count - 1] = "\(last)   \(fact)"
          width += 3 + factWidth
        } else {
          lines.append("  \(fact)")
          width = 2 + factWidth
        }
      }
      return used.prefix(1).map { styled(cells, $0, hasColor: hasColor) } + lines
    }
  }
}
