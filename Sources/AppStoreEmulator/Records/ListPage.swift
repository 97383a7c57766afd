/// A page of a list, in the order of the elements' keys.
package struct ListPage<Element: Sendable>: Sendable {
  package let elements: [Element]
  /// The key after which the next page begins; nil on the last page.
  package let next: [String]?

  /// - Parameters:
  ///   - found: the elements of the page, and one more if there is another page.
  ///   - limit: the maximum number of elements on the page.
  ///   - key: returns the parts of an element's key.
  init(_ found: [Element], limit: Int, key: (Element) -> [String]) {
    elements = Array(found.prefix(limit))
    next = found.count > limit ? elements.last.map(key) : nil
  }

  private init(elements: [Element], next: [String]?) {
    self.elements = elements
    self.next = next
  }

  /// Returns the page with other elements. Omits those for which `transform` returns nil.
  func compactMap<Other>(_ transform: (Element) throws -> Other?) rethrows -> ListPage<Other> {
    ListPage<Other>(elements: try elements.compactMap(transform), next: next)
  }
}
