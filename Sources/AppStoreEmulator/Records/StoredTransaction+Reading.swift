import Foundation
import GRDB
import StoreModel

// Rows are read by the positions of their columns: decoding by `Codable` takes ten times as long, and an answer can need
// 10,000 transactions.
extension StoredTransaction {
  public init(row: Row) throws { try self.init(row, at: ColumnPositions(Array(row.columnNames))) }

  /// Fetches all transactions of a statement that selects all columns.
  static func all(_ statement: Statement, arguments: StatementArguments) throws -> [StoredTransaction] {
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    let positions = try ColumnPositions(statement.columnNames)
    var transactions: [StoredTransaction] = []
    while let row = try rows.next() { transactions.append(try StoredTransaction(row, at: positions)) }
    return transactions
  }

  private init(_ row: Row, at positions: ColumnPositions) throws {
    let columns = ColumnReader(row: row, positions: positions)
    sequence = try columns.value(.sequence)
    account = AccountName(rawValue: try columns.value(.account))
    installationID = try columns.optional(.installationID).map(InstallationID.init(rawValue:))
    paymentID = try columns.optional(.paymentID).map(PaymentID.init(rawValue:))
    finishedDate = try columns.optional(.finishedDate).map(StoreDate.init(millisecondsSince1970:))
    sharedTransactionID = try columns.optionalRaw(.sharedTransactionID)
    record = try TransactionRecord(columns)
  }
}

extension TransactionRecord {
  fileprivate init(_ columns: ColumnReader) throws {
    self.init(
      environment: try columns.raw(.environment), bundleID: BundleID(rawValue: try columns.value(.bundleID)),
      transactionID: try columns.raw(.transactionID),
      originalTransactionID: try columns.raw(.originalTransactionID),
      productID: ProductID(rawValue: try columns.value(.productID)), type: try columns.raw(.type),
      purchaseDate: StoreDate(millisecondsSince1970: try columns.value(.purchaseDate)),
      originalPurchaseDate: StoreDate(millisecondsSince1970: try columns.value(.originalPurchaseDate)),
      quantity: try columns.value(.quantity), price: Milliunits(try columns.value(.price)),
      currency: try columns.value(.currency), storefrontCountryCode: try columns.value(.storefrontCountryCode),
      storefrontID: try columns.value(.storefrontID), reason: try columns.raw(.reason),
      appTransactionID: try columns.value(.appTransactionID))
    webOrderLineItemID = try columns.optional(.webOrderLineItemID)
    itemID = try columns.value(.itemID)
    subscriptionGroupID = try columns.optional(.subscriptionGroupID).map(SubscriptionGroupID.init(rawValue:))
    expiresDate = try columns.optional(.expiresDate).map(StoreDate.init(millisecondsSince1970:))
    appAccountToken = try columns.optional(.appAccountToken)
    applicationUsername = try columns.optional(.applicationUsername)
    ownership = try columns.raw(.ownership)
    revocationDate = try columns.optional(.revocationDate).map(StoreDate.init(millisecondsSince1970:))
    revocationReason = try columns.optionalRaw(.revocationReason)
    revocationType = try columns.optionalRaw(.revocationType)
    revocationPercentage = try columns.optional(.revocationPercentage)
    isUpgraded = try columns.value(.isUpgraded)
    upgradeDate = try columns.optional(.upgradeDate).map(StoreDate.init(millisecondsSince1970:))
    offerType = try columns.optionalRaw(.offerType)
    offerIdentifier = try columns.optional(.offerIdentifier)
    offerDiscountType = try columns.optionalRaw(.offerDiscountType)
    offerPeriod = try columns.optionalPeriod(.offerPeriod)
    billingPlanType = try columns.optionalRaw(.billingPlanType)
    commitment = try columns.optionalJSON(.commitment)
    previousOriginalTransactionID = try columns.optionalRaw(.previousOriginalTransactionID)
    revokedSeatQuantity = try columns.optional(.revokedSeatQuantity)
    invitationManagement = try columns.optional(.invitationManagement)
    advancedCommerceInfo = try columns.optional(.advancedCommerceInfo)
  }
}

/// The columns of `transactionRecord` that are read. A case has its column's name.
private enum TransactionColumn: Int, CaseIterable {
  case sequence, account, installationID, paymentID, finishedDate, sharedTransactionID
  case environment, bundleID, transactionID, originalTransactionID, webOrderLineItemID, productID, type, itemID
  case subscriptionGroupID, purchaseDate, originalPurchaseDate, expiresDate, quantity, price, currency
  case storefrontCountryCode, storefrontID, reason, appTransactionID, appAccountToken, applicationUsername, ownership
  case revocationDate, revocationReason, revocationType, revocationPercentage, isUpgraded, upgradeDate
  case offerType, offerIdentifier, offerDiscountType, offerPeriod, billingPlanType, commitment
  case previousOriginalTransactionID, revokedSeatQuantity, invitationManagement, advancedCommerceInfo

  static let named = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })
}

/// The position of each column in the rows of a statement.
private struct ColumnPositions {
  private var positions = Array(repeating: -1, count: TransactionColumn.allCases.count)

  init(_ names: [String]) throws {
    for (position, name) in names.enumerated() {
      if let column = TransactionColumn.named[name] { positions[column.rawValue] = position }
    }
    guard !positions.contains(-1) else {
      throw DatabaseError(message: "A statement does not select all columns of transactionRecord.")
    }
  }

  subscript(column: TransactionColumn) -> Int { positions[column.rawValue] }
}

/// Reads the columns of one row. All functions throw if the row does not match the schema.
private struct ColumnReader {
  let row: Row
  let positions: ColumnPositions

  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: TransactionColumn, _ type: Value.Type = Value.self
  ) throws -> Value {
    try row.decode(Value.self, atIndex: positions[column])
  }

  func optional<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: TransactionColumn, _ type: Value.Type = Value.self
  ) throws -> Value? {
    try row.decode(Value?.self, atIndex: positions[column])
  }

  /// Reads an enumeration or another value with a raw value.
  func raw<Value: RawRepresentable>(_ column: TransactionColumn, _ type: Value.Type = Value.self) throws -> Value
  where Value.RawValue: DatabaseValueConvertible & StatementColumnConvertible {
    try Self.value(of: value(column), in: column)
  }

  func optionalRaw<Value: RawRepresentable>(
    _ column: TransactionColumn, _ type: Value.Type = Value.self
  ) throws -> Value? where Value.RawValue: DatabaseValueConvertible & StatementColumnConvertible {
    try optional(column, Value.RawValue.self).map { try Self.value(of: $0, in: column) }
  }

  func optionalPeriod(_ column: TransactionColumn) throws -> SubscriptionPeriod? {
    try optional(column, String.self).map { text in
      guard let period = SubscriptionPeriod(iso8601: text) else { throw Self.unreadable(text, in: column) }
      return period
    }
  }

  func optionalJSON<Value: Decodable>(_ column: TransactionColumn, _ type: Value.Type = Value.self) throws -> Value? {
    try optional(column, String.self).map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }

  private static func value<Value: RawRepresentable>(
    of rawValue: Value.RawValue, in column: TransactionColumn
  ) throws -> Value {
    guard let value = Value(rawValue: rawValue) else { throw unreadable("\(rawValue)", in: column) }
    return value
  }

  private static func unreadable(_ text: String, in column: TransactionColumn) -> DatabaseError {
    DatabaseError(message: "The column \(column) of transactionRecord contains \(text).")
  }
}
