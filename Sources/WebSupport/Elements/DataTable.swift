/// An HTML table. On a narrow screen, each row becomes a card with the column titles. The ARIA roles keep it a table
/// for screen readers.
package struct DataTable {
  package struct Column: ExpressibleByStringLiteral {
    let title: String
    /// Whether the column is right-aligned.
    let isNumber: Bool

    package init(_ title: String, isNumber: Bool = false) {
      self.title = title
      self.isNumber = isNumber
    }

    package init(stringLiteral title: String) { self.init(title) }
  }

  package let caption: String
  package let columns: [Column]
  /// Each row has a cell for each column. The first cell is the row's heading.
  package let rows: [[HTML]]

  package init(caption: String, columns: [Column], rows: [[HTML]]) {
    self.caption = caption
    self.columns = columns
    self.rows = rows
  }

  package var html: HTML {
    """
    <div class="table-wrap"><table class="stack" role="table"><caption class="sr-only">\(caption)</caption>
    <thead role="rowgroup"><tr role="row">\(columns.map(head))</tr></thead>
    <tbody role="rowgroup">
    \(rows.map(html))
    </tbody></table></div>
    """
  }

  /// The table, or a text if it has no rows.
  package func html(orNone text: HTML) -> HTML { rows.isEmpty ? "<p class=\"card\">\(text)</p>" : html }

  private func head(_ column: Column) -> HTML {
    "<th scope=\"col\" role=\"columnheader\"\(" class=\"number\"", if: column.isNumber)>\(column.title)</th>"
  }

  private func html(_ row: [HTML]) -> HTML {
    "<tr role=\"row\">\(zip(row, columns.indices).map { cell($0, $1) })</tr>\n"
  }

  private func cell(_ content: HTML, _ index: Int) -> HTML {
    let column = columns[index]
    let rest: HTML = "\(" class=\"number\"", if: column.isNumber) data-label=\"\(column.title)\""
    return index == 0
      ? "<th scope=\"row\" role=\"rowheader\"\(rest)><div>\(content)</div></th>"
      : content.isEmpty
        ? "<td role=\"cell\"\(rest)></td>" : "<td role=\"cell\"\(rest)><div>\(content)</div></td>"
  }
}

/// A list of names and values. Values that are nil or empty are omitted.
package struct DetailList {
  private var details: [HTML] = []

  package init() {}

  package mutating func add(_ name: String, _ value: HTML?) {
    guard let value, !value.isEmpty else { return }
    details.append("<dt>\(name)</dt><dd>\(value)</dd>")
  }

  package mutating func add(_ name: String, text: String?) { add(name, text.map { "\($0)" }) }

  /// Adds a name that a user chose, without shortening it.
  package mutating func add(_ name: String, chosen: String?) { add(name, chosen.map { HTML.identifier($0) }) }

  package var html: HTML { "<dl class=\"details\">\(details)</dl>" }
}
