/// A page of a list, in the order of the elements' keys.
public struct LedgerPage<Element: Sendable>: Sendable {
  public let elements: [Element]
  /// The key after which the next page begins; nil on the last page.
  public let next: [String]?

  /// The maximum number of elements on a page.
  public static var largest: Int { 1_000 }

  /// Checks the number of elements on a page.
  ///
  /// - Throws: ``LedgerError/invalid(_:)``.
  static func check(limit: Int) throws(LedgerError) {
    guard (1...largest).contains(limit) else { throw .invalid("A page has 1 to 1,000 elements.") }
  }

  /// Returns the parts of a key: those of the first page if it is nil.
  ///
  /// - Throws: ``LedgerError/invalid(_:)`` if the key has another number of parts.
  static func parts(of key: [String]?) throws(LedgerError) -> (String, String) {
    guard let key else { return ("", "") }
    guard key.count == 2 else { throw .invalid("A page begins after `next` of the page before.") }
    return (key[0], key[1])
  }

  /// Returns the elements of all pages.
  static func all(_ page: (_ after: [String]?) async throws -> LedgerPage) async throws -> [Element] {
    var (elements, next): ([Element], [String]?) = ([], nil)
    repeat {
      let page = try await page(next)
      elements += page.elements
      next = page.next
    } while next != nil
    return elements
  }
}
