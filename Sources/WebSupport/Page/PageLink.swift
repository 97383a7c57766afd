/// A link of a page's navigation.
package struct PageLink: Sendable {
  package let title: String
  package let address: String
  /// Whether it links to the current page.
  package let isCurrent: Bool

  package init(_ title: String, _ address: String, isCurrent: Bool = false) {
    self.title = title
    self.address = address
    self.isCurrent = isCurrent
  }

  var html: HTML {
    "<li><a href=\"\(address)\"\(" aria-current=\"page\"", if: isCurrent)>\(title)</a></li>"
  }
}
