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
