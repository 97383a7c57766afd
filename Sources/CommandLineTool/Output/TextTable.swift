/// Rows of cells under headings, for a terminal.
struct TextTable {
  /// A column's heading and how its cells are aligned.
  struct Column {
    let heading: String
    var isNumber = false
    /// Whether its cells may be cut where the table would be too wide.
    var canBeCut = false
    /// How a cell is shown where there are colours; nil for plainly.
    var style: (@Sendable (String) -> TextStyle?)?
  }

  static let maximumColumns = 100
  /// What is left of a column that is cut.
  private static let narrowestColumns = 12

  let columns: [Column]
  /// As many cells in each as there are columns; strings that may be shown.
  let rows: [[String]]

  /// The table, one line for each row, nothing without rows; columns that are empty in every row are left out. What would be wider than
  /// ``maximumColumns`` is made narrower by cutting cells that may be cut; where that does not help, it is written as a block of
  /// lines for each row instead, the first cell being its title.
  var lines: [String] { lines(maximumColumns: Self.maximumColumns) }

  /// - Parameters:
  ///   - maximumColumns: beyond which there are blocks.
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

  /// How wide the columns are; nil where the table does not fit. The widest that may be cut gives way first.
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
      // Of the last line, without what is no column of it.
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
