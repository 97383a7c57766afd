import StoreModel

/// The order of a list.
public enum ListOrder: String, CaseIterable, Hashable, Codable, Sendable {
  case oldest, newest
}

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

  /// Returns the parts of a key, nil for the first page.
  ///
  /// - Throws: ``LedgerError/invalid(_:)`` if the key has another number of parts.
  static func parts(of key: [String]?, count: Int) throws(LedgerError) -> [String]? {
    guard key?.count ?? count == count else { throw foreignKey }
    return key
  }

  /// Returns the two texts of a key: those of the first page if it is nil.
  ///
  /// - Throws: ``LedgerError/invalid(_:)`` if it is another key.
  static func parts(of key: [String]?) throws(LedgerError) -> (String, String) {
    guard let parts = try parts(of: key, count: 2) else { return ("", "") }
    return (parts[0], parts[1])
  }

  /// Returns the date and the text of a key.
  ///
  /// - Parameter first: the date of the first page, before or after all dates.
  /// - Throws: ``LedgerError/invalid(_:)`` if it is another key.
  static func parts(of key: [String]?, from first: Int64) throws(LedgerError) -> (StoreDate, String) {
    guard let parts = try parts(of: key, count: 2) else { return (StoreDate(millisecondsSince1970: first), "") }
    guard let milliseconds = Int64(parts[0]) else { throw foreignKey }
    return (StoreDate(millisecondsSince1970: milliseconds), parts[1])
  }

  private static var foreignKey: LedgerError { .invalid("A page begins after `next` of the page before.") }

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
