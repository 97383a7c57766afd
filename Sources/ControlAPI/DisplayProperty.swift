import StoreModel

/// A labelled value of a resource, for display. The console shows some values as links; the command line shows text.
package struct DisplayProperty: Sendable {
  package enum Value: Hashable, Sendable {
    /// Ordinary text, such as a state or a number.
    case text(String)
    /// An identifier, such as a transaction id. The console shows it in a monospaced font.
    case identifier(String)
    /// A name or identifier that a caller has chosen. It may contain any character.
    case name(String)
    case date(StoreDate)
    case money(Milliunits, String)
    case transaction(TransactionID)
    case product(ProductID, BundleID)
    case customer(AccountName, StoreEnvironment)
    /// A country code, ISO 3166-1 alpha-3.
    case storefront(String)
  }

  package let label: String
  /// The value; nil if the property is not shown.
  package let value: Value?

  package init(_ label: String, _ value: Value?) {
    self.label = label
    self.value = value
  }
}
