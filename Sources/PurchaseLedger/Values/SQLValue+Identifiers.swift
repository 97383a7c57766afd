import StoreModel

extension SQLValueConvertible where Self: RawRepresentable<String> {
  public var sqlValue: SQLValue { .text(rawValue) }
}

extension BundleID: SQLValueConvertible {}
extension ProductID: SQLValueConvertible {}
extension TransactionID: SQLValueConvertible {}
extension StoreEnvironment: SQLValueConvertible {}
extension ProductType: SQLValueConvertible {}
extension OwnershipType: SQLValueConvertible {}

extension StoreDate: SQLValueConvertible {
  public var sqlValue: SQLValue { .integer(millisecondsSince1970) }
}

extension SQLRow {
  func date(_ name: String) throws(LedgerDatabaseError) -> StoreDate {
    StoreDate(millisecondsSince1970: try integer(name))
  }

  func optionalDate(_ name: String) throws(LedgerDatabaseError) -> StoreDate? {
    try optionalInteger(name).map(StoreDate.init(millisecondsSince1970:))
  }

  func identifier<Identifier: StringIdentifier>(
    _ name: String, _ type: Identifier.Type = Identifier.self
  ) throws(LedgerDatabaseError) -> Identifier {
    Identifier(rawValue: try text(name))
  }

  func customer(_ name: String) throws(LedgerDatabaseError) -> CustomerID {
    guard let id = CustomerID(try text(name)) else { throw .unexpectedRow("\(name) is not a UUID") }
    return id
  }

  /// Reads a value of an enumeration, or another type with a text as its raw value.
  func value<Value: RawRepresentable<String>>(
    _ name: String, _ type: Value.Type = Value.self
  ) throws(LedgerDatabaseError) -> Value {
    let text = try text(name)
    guard let value = Value(rawValue: text) else { throw .unexpectedRow("\(name) is \(text)") }
    return value
  }
}
