import Foundation
import GRDB
import SignedData
import StoreModel

/// The contents of an installation's app receipt. They are read in the same database transaction as everything else in
/// the store's answer to a request.
struct AppReceiptContents: Sendable {
  let app: StoreApp
  let installation: Installation
  let identity: InventedIdentity
  let transactions: [TransactionRecord]
  let creationDate: StoreDate
}

extension StoreUnitOfWork {
  func appReceipt(of installation: Installation) -> AppReceiptRule {
    AppReceiptRule(work: self, installation: installation)
  }
}

/// Decides which transactions an installation's app receipt lists.
struct AppReceiptRule {
  let work: StoreUnitOfWork
  let installation: Installation

  /// The current receipt, even if it lists no transaction.
  func refreshed() throws -> AppReceiptContents { try contents(listed()) }

  /// The current receipt. Nil in the sandbox before the first purchase, because devices have no receipt then.
  func current() throws -> AppReceiptContents? {
    let transactions = try listed()
    if transactions.isEmpty && installation.environment != .production {
      let hasBought = try Bool.fetchOne(
        work.database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM transactionRecord WHERE account = ? AND bundleID = ? AND environment = ?)
          """,
        arguments: [
          installation.account?.rawValue, installation.bundleID.rawValue, installation.environment.rawValue,
        ])
      guard hasBought == true else { return nil }
    }
    return try contents(transactions)
  }

  /// A receipt that lists these transactions.
  func contents(_ transactions: [TransactionRecord]) throws -> AppReceiptContents {
    AppReceiptContents(
      app: try work.catalog.app(installation.bundleID), installation: installation, identity: work.identity,
      transactions: transactions, creationDate: try work.takeReceiptDate())
  }

  /// The transactions of the receipt. Consumables are listed from the purchase until they are finished, other types
  /// always.
  func listed() throws -> [TransactionRecord] {
    let statement = try work.database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE type = 'Consumable' AND finishedDate IS NULL AND installationID = ?1
        UNION ALL
        SELECT * FROM transactionRecord
        WHERE type <> 'Consumable' AND account = ?2 AND bundleID = ?3 AND environment = ?4
        ORDER BY sequence
        """)
    return try StoredTransaction.all(
      statement,
      arguments: [
        installation.installationID.rawValue, installation.account?.rawValue, installation.bundleID.rawValue,
        installation.environment.rawValue,
      ]
    ).map(\.record)
  }
}
