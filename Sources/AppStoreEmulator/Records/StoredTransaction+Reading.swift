import Foundation
import GRDB
import GRDBSQLite
import StoreModel

// Rows are read by the positions of their columns, and many rows directly from SQLite: an answer can need 10,000
// transactions. Decoding by `Codable` takes more than ten times as long.
extension StoredTransaction {
  public init(row: Row) throws {
    let positions = try ColumnPositions(Array(row.columnNames))
    try self.init(TransactionColumns(source: RowColumns(row: row), positions: positions))
  }

  /// Fetches all transactions of a statement that selects all columns.
  static func all(_ statement: Statement, arguments: StatementArguments) throws -> [StoredTransaction] {
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    let columns = TransactionColumns(
      source: StatementColumns(statement), positions: try ColumnPositions(statement.columnNames))
    var transactions: [StoredTransaction] = []
    while try rows.next() != nil { transactions.append(try StoredTransaction(columns)) }
    return transactions
  }

  private init(_ columns: TransactionColumns<some ColumnSource>) throws {
    sequence = try columns.integer(.sequence)
    account = AccountName(rawValue: try columns.text(.account))
    installationID = try columns.optionalText(.installationID).map(InstallationID.init(rawValue:))
    paymentID = try columns.optionalText(.paymentID).map(PaymentID.init(rawValue:))
    finishedDate = try columns.optionalDate(.finishedDate)
    sharedTransactionID = try columns.optionalWord(.sharedTransactionID)
    finishRevision = try columns.optionalInteger(.finishRevision)
    record = try TransactionRecord(columns)
  }
}

extension TransactionRecord {
  fileprivate init(_ columns: TransactionColumns<some ColumnSource>) throws {
    self.init(
      environment: try columns.word(.environment), bundleID: BundleID(rawValue: try columns.text(.bundleID)),
      transactionID: try columns.word(.transactionID),
      originalTransactionID: try columns.word(.originalTransactionID),
      productID: ProductID(rawValue: try columns.text(.productID)), type: try columns.word(.type),
      purchaseDate: try columns.date(.purchaseDate), originalPurchaseDate: try columns.date(.originalPurchaseDate),
      quantity: Int(try columns.integer(.quantity)), price: Milliunits(try columns.integer(.price)),
      currency: try columns.text(.currency), storefrontCountryCode: try columns.text(.storefrontCountryCode),
      storefrontID: try columns.text(.storefrontID), reason: try columns.word(.reason),
      appTransactionID: try columns.text(.appTransactionID))
    webOrderLineItemID = try columns.optionalText(.webOrderLineItemID)
    itemID = try columns.integer(.itemID)
    subscriptionGroupID = try columns.optionalText(.subscriptionGroupID).map(SubscriptionGroupID.init(rawValue:))
    expiresDate = try columns.optionalDate(.expiresDate)
    appAccountToken = try columns.optionalUUID(.appAccountToken)
    applicationUsername = try columns.optionalText(.applicationUsername)
    ownership = try columns.word(.ownership)
    revocationDate = try columns.optionalDate(.revocationDate)
    revocationReason = try columns.optionalNumber(.revocationReason)
    revocationType = try columns.optionalWord(.revocationType)
    revocationPercentage = try columns.optionalInteger(.revocationPercentage).map(Int.init)
    isUpgraded = try columns.integer(.isUpgraded) != 0
    upgradeDate = try columns.optionalDate(.upgradeDate)
    offerType = try columns.optionalNumber(.offerType)
    offerIdentifier = try columns.optionalText(.offerIdentifier)
    offerDiscountType = try columns.optionalWord(.offerDiscountType)
    offerPeriod = try columns.optionalPeriod(.offerPeriod)
    billingPlanType = try columns.optionalWord(.billingPlanType)
    commitment = try columns.optionalJSON(.commitment)
    previousOriginalTransactionID = try columns.optionalWord(.previousOriginalTransactionID)
    revokedSeatQuantity = try columns.optionalInteger(.revokedSeatQuantity)
    invitationManagement = try columns.optionalText(.invitationManagement)
    advancedCommerceInfo = try columns.optionalText(.advancedCommerceInfo)
    revision = try columns.integer(.revision)
  }
}

/// The columns of `transactionRecord` that are read. A case has its column's name.
private enum TransactionColumn: Int, CaseIterable {
  case sequence, account, installationID, paymentID, finishedDate, sharedTransactionID, finishRevision
  case environment, bundleID, transactionID, originalTransactionID, webOrderLineItemID, productID, type, itemID
  case subscriptionGroupID, purchaseDate, originalPurchaseDate, expiresDate, quantity, price, currency
  case storefrontCountryCode, storefrontID, reason, appTransactionID, appAccountToken, applicationUsername, ownership
  case revocationDate, revocationReason, revocationType, revocationPercentage, isUpgraded, upgradeDate
  case offerType, offerIdentifier, offerDiscountType, offerPeriod, billingPlanType, commitment
  case previousOriginalTransactionID, revokedSeatQuantity, invitationManagement, advancedCommerceInfo, revision

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

/// The values of one row, by position. A value is nil if the column is NULL.
private protocol ColumnSource {
  func integer(_ position: Int) throws -> Int64?
  func text(_ position: Int) throws -> String?
  func uuid(_ position: Int) throws -> UUID?
}

/// The values of a row that GRDB holds.
private struct RowColumns: ColumnSource {
  let row: Row

  func integer(_ position: Int) throws -> Int64? { try row.decode(Int64?.self, atIndex: position) }
  func text(_ position: Int) throws -> String? { try row.decode(String?.self, atIndex: position) }
  func uuid(_ position: Int) throws -> UUID? { try row.decode(UUID?.self, atIndex: position) }
}

/// The values of the statement's current row. Unlike those of ``RowColumns``, `integer` and `text` do not throw for a value
/// of another type, because SQLite converts it. `uuid` throws if the value is not a UUID.
private final class StatementColumns: ColumnSource {
  private let statement: Statement
  /// The last text of each column. Most columns of a customer's transactions have few different texts, and comparing
  /// the bytes is faster than making a string.
  @exclusivity(unchecked)
  private var texts: [String?]

  init(_ statement: Statement) {
    self.statement = statement
    texts = Array(repeating: nil, count: statement.columnCount)
  }

  private var handle: OpaquePointer { statement.sqliteStatement }

  private func isNull(_ position: Int) -> Bool { sqlite3_column_type(handle, Int32(position)) == SQLITE_NULL }

  func integer(_ position: Int) -> Int64? {
    isNull(position) ? nil : sqlite3_column_int64(handle, Int32(position))
  }

  func text(_ position: Int) -> String? {
    guard let start = sqlite3_column_text(handle, Int32(position)) else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(position))))
    if let last = texts[position], last.hasUTF8(bytes) { return last }
    let text = String(decoding: bytes, as: UTF8.self)
    texts[position] = text
    return text
  }

  func uuid(_ position: Int) throws -> UUID? {
    guard !isNull(position) else { return nil }
    guard let uuid = UUID(sqliteStatement: handle, index: Int32(position)) else {
      throw DatabaseError(message: "The column \(statement.columnNames[position]) contains no UUID.")
    }
    return uuid
  }
}

extension String {
  fileprivate func hasUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    utf8.withContiguousStorageIfAvailable { own in
      guard let one = own.baseAddress, let other = bytes.baseAddress else { return own.count == bytes.count }
      return own.count == bytes.count && memcmp(one, other, own.count) == 0
    } ?? utf8.elementsEqual(bytes)
  }
}

/// Reads the columns of one row. All functions throw if a required value is missing, or if a value is not valid for its
/// column.
private struct TransactionColumns<Source: ColumnSource> {
  let source: Source
  let positions: ColumnPositions

  func optionalInteger(_ column: TransactionColumn) throws -> Int64? { try source.integer(positions[column]) }
  func optionalText(_ column: TransactionColumn) throws -> String? { try source.text(positions[column]) }
  func optionalUUID(_ column: TransactionColumn) throws -> UUID? { try source.uuid(positions[column]) }

  func integer(_ column: TransactionColumn) throws -> Int64 {
    try optionalInteger(column) ?? { throw Self.missing(column) }()
  }

  func text(_ column: TransactionColumn) throws -> String {
    try optionalText(column) ?? { throw Self.missing(column) }()
  }

  func date(_ column: TransactionColumn) throws -> StoreDate {
    StoreDate(millisecondsSince1970: try integer(column))
  }

  func optionalDate(_ column: TransactionColumn) throws -> StoreDate? {
    try optionalInteger(column).map(StoreDate.init(millisecondsSince1970:))
  }

  /// Reads a value that is stored as its text, such as an enumeration.
  func word<Value: RawRepresentable<String>>(
    _ column: TransactionColumn, _ type: Value.Type = Value.self
  ) throws -> Value {
    try Self.value(of: text(column), in: column)
  }

  func optionalWord<Value: RawRepresentable<String>>(
    _ column: TransactionColumn, _ type: Value.Type = Value.self
  ) throws -> Value? {
    try optionalText(column).map { try Self.value(of: $0, in: column) }
  }

  /// Reads an enumeration that is stored as a number.
  func optionalNumber<Value: RawRepresentable<Int>>(
    _ column: TransactionColumn, _ type: Value.Type = Value.self
  ) throws -> Value? {
    try optionalInteger(column).map { try Self.value(of: Int($0), in: column) }
  }

  func optionalPeriod(_ column: TransactionColumn) throws -> CalendarPeriod? {
    try optionalText(column).map { text in
      guard let period = CalendarPeriod(iso8601: text) else { throw Self.unreadable(text, in: column) }
      return period
    }
  }

  func optionalJSON<Value: Decodable>(_ column: TransactionColumn, _ type: Value.Type = Value.self) throws -> Value? {
    try optionalText(column).map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }

  private static func value<Value: RawRepresentable>(
    of rawValue: Value.RawValue, in column: TransactionColumn
  ) throws -> Value {
    guard let value = Value(rawValue: rawValue) else { throw unreadable("\(rawValue)", in: column) }
    return value
  }

  private static func missing(_ column: TransactionColumn) -> DatabaseError { unreadable("no value", in: column) }

  private static func unreadable(_ text: String, in column: TransactionColumn) -> DatabaseError {
    DatabaseError(message: "The column \(column) of transactionRecord contains \(text).")
  }
}
