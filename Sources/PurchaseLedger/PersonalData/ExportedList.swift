import StoreModel

/// A list of a ``CustomerExport``, which is read in pages.
struct ExportedList: Sendable {
  /// The position after which a page begins.
  struct Cursor: Sendable {
    /// The key of the row whose rows are listed, such as a subscription; empty if there is none.
    var outer: [SQLValue] = []
    /// The key of the last row of the page before.
    var inner: [SQLValue]
  }

  struct Page: Sendable {
    let elements: [any Encodable & Sendable]
    /// The beginning of the next page; nil on the last page.
    let next: Cursor?
  }

  /// An element, and the key of its row.
  typealias Entry = (element: any Encodable & Sendable, key: [SQLValue])

  /// The maximum number of rows of a page. It limits how long other requests wait for a page.
  static let pageSize = 250

  /// The name of the list in ``CustomerExport``.
  let name: String
  let first: Cursor
  let read: @Sendable (LedgerTransaction, CustomerID, Cursor) throws -> Page

  /// A list of the rows of one query.
  ///
  /// - Parameters:
  ///   - sql: selects rows of the customer `$1` in the order of their keys, after the key `$2`, `$3` …, up to the number in the
  ///     last argument. An index must have the customer and then the key's columns. Otherwise each page would read all rows.
  ///   - first: a key before all keys.
  init(
    _ name: String, _ sql: String, after first: [SQLValue],
    _ entry: @escaping @Sendable (SQLRow) throws -> Entry
  ) {
    self.name = name
    self.first = Cursor(inner: first)
    read = { transaction, customer, cursor in
      let arguments = [customer.sqlValue] + cursor.inner + [Self.pageSize.sqlValue]
      let entries = try transaction.rows(sql, arguments: arguments).map(entry)
      let isLast = entries.count < Self.pageSize
      return Page(
        elements: entries.map(\.element), next: isLast ? nil : entries.last.map { Cursor(inner: $0.key) })
    }
  }

  /// A list of the rows that belong to other rows of the customer, such as the periods of subscriptions.
  ///
  /// - Parameters:
  ///   - outer: returns the keys of the other rows, in order, from a key on (inclusive), up to a number.
  ///   - sql: selects the rows of the other row `$1`, `$2` … in the order of their keys, after a key, up to a number.
  ///   - outerKey: a key before all keys of other rows.
  ///   - innerKey: a key before all keys of rows.
  init(
    _ name: String,
    of outer: @escaping @Sendable (LedgerTransaction, CustomerID, [SQLValue], Int) throws -> [[SQLValue]],
    after outerKey: [SQLValue], _ sql: String, after innerKey: [SQLValue],
    arguments: @escaping @Sendable ([SQLValue]) -> [SQLValue] = { $0 },
    _ entry: @escaping @Sendable (SQLRow) throws -> Entry
  ) {
    self.name = name
    first = Cursor(outer: outerKey, inner: innerKey)
    read = { transaction, customer, cursor in
      let keys = try outer(transaction, customer, cursor.outer, Self.outerSize)
      var elements: [any Encodable & Sendable] = []
      var next: Cursor?
      for key in keys {
        let inner = key == cursor.outer ? cursor.inner : innerKey
        let size = Self.pageSize - elements.count
        let entries = try transaction.rows(sql, arguments: arguments(key) + inner + [size.sqlValue]).map(entry)
        elements += entries.map(\.element)
        next = Cursor(outer: key, inner: entries.last?.key ?? inner)
        if entries.count == size { return Page(elements: elements, next: next) }
      }
      return Page(elements: elements, next: keys.count < Self.outerSize ? nil : next)
    }
  }

  /// The maximum number of other rows whose rows are read for a page.
  private static let outerSize = 50
}
