/// A form above a list, which shows the part of the list that matches its fields.
package struct FilterForm {
  /// The address of the list's page.
  package let address: String
  package let fields: [HTML]
  /// The title of the button.
  package var title = "Find"
  /// The address of the whole list; nil for no link to it.
  package var all: String?

  package init(_ address: String, _ fields: [HTML], title: String = "Find", all: String? = nil) {
    self.address = address
    self.fields = fields
    self.title = title
    self.all = all
  }

  package var html: HTML {
    """
    <form class="filters" role="search" action="\(address)" method="get">
    \(fields)
    <button type="submit">\(title)</button>\(all.map { "<a class=\"button button-plain\" href=\"\($0)\">All</a>" })
    </form>
    """
  }

  /// The field for a text that may be a part of any value of a row.
  package static func search(_ text: String?, _ placeholder: String) -> HTML {
    """
    <div class="field field-search"><label for="q">Search</label>\
    <input type="search" id="q" name="q" value="\(text ?? "")" placeholder="\(placeholder)"></div>
    """
  }

  /// A field for one name or identifier.
  package static func line(_ name: String, _ label: String, _ value: String?, _ list: NameList? = nil) -> HTML {
    """
    <div class="field field-name"><label for="\(name)">\(label)</label>\
    <input type="text" id="\(name)" name="\(name)"\(list?.attribute) value="\(value ?? "")"></div>
    """
  }

  /// The list of choices for one value.
  ///
  /// - Parameters:
  ///   - values: the values with their titles.
  ///   - any: the title of the first choice, which matches all values; nil to omit it.
  package static func choices(
    _ name: String, _ label: String, _ values: [(value: String, title: String)], chosen: String?, any: String? = "any"
  ) -> HTML {
    let options = values.map {
      "<option value=\"\($0.value)\"\(" selected", if: $0.value == chosen)>\($0.title)</option>" as HTML
    }
    let none: HTML = any.map { "<option value=\"\">\($0)</option>" } ?? ""
    return """
      <div class="field"><label for="\(name)">\(label)</label><select id="\(name)" name="\(name)">\(none)\(options)</select></div>
      """
  }
}

/// The links at the end of a list. The page's script follows the first one when it comes into view: it loads more rows, up to a
/// maximum. The second link opens the next page.
package struct ListEnd {
  /// The rows of a list's first page; also the number of rows that are added.
  package static let pageSize = 100
  /// The maximum number of rows of a page that loads more rows at its end.
  package static let largestPage = 500

  /// The number of rows of this page.
  package let rows: Int
  /// The address of this page with another number of rows.
  package let longer: (Int) -> String
  /// The address of the next page; nil on the last page.
  package let older: String?

  package init(rows: Int, older: String?, longer: @escaping (Int) -> String) {
    self.rows = rows
    self.older = older
    self.longer = longer
  }

  package var html: HTML {
    guard let older else { return "" }
    let more: HTML =
      rows < Self.largestPage
      ? "<a class=\"button\" data-more href=\"\(longer(min(rows + Self.pageSize, Self.largestPage)))\">Show more</a>"
      : ""
    return "<p class=\"older\">\(more)<a class=\"button\" href=\"\(older)\">Older</a></p>"
  }
}
