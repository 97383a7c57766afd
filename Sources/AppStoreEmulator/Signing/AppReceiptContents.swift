import Foundation
import GRDB
import SignedData
import StoreModel

/// What goes into an installation's app receipt, read in the same commit as the transaction it answers.
struct AppReceiptContents: Sendable {
  let app: StoreApp
  let installation: Installation
  let identity: InventedIdentity
  let transactions: [TransactionRecord]
  let creationDate: StoreDate
}

extension EmulatedAppStore {
  func refreshReceipt(from installationID: InstallationID) async throws -> Data {
    let contents = try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let installation = try Self.registered(installationID, in: database)
      guard installation.account != nil else {
        throw StoreRefusal(.signInRequired, "Sign in to refresh the receipt.")
      }
      return try self.refreshedContents(for: installation, now: now, in: database)
    }
    return try sign(contents)
  }

  /// The receipt as of now, also where nothing was bought yet.
  func refreshedContents(
    for installation: Installation, now: StoreDate, in database: Database
  ) throws -> AppReceiptContents {
    try contents(
      try Self.receiptTransactions(of: installation, in: database), for: installation, now: now, in: database)
  }

  func contents(
    _ transactions: [TransactionRecord], for installation: Installation, now: StoreDate, in database: Database
  ) throws -> AppReceiptContents {
    AppReceiptContents(
      app: try Self.app(installation.bundleID, in: database), installation: installation,
      identity: try StoreLife.fetch(database).identity, transactions: transactions,
      creationDate: try StoreRow.receiptDate(database, now: now))
  }

  /// Nil in the sandbox before the first purchase, as on a device: there is no receipt yet.
  func receiptContents(
    for installation: Installation, now: StoreDate, in database: Database
  ) throws -> AppReceiptContents? {
    let transactions = try Self.receiptTransactions(of: installation, in: database)
    if transactions.isEmpty && installation.environment != .production {
      let hasBought = try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM transactionRecord WHERE account = ? AND bundleID = ? AND environment = ?)
          """,
        arguments: [
          installation.account?.rawValue, installation.bundleID.rawValue, installation.environment.rawValue,
        ])
      guard hasBought == true else { return nil }
    }
    return try contents(transactions, for: installation, now: now, in: database)
  }

  static func receiptTransactions(
    of installation: Installation, in database: Database
  ) throws -> [TransactionRecord] {
    // A consumable is listed from purchase until it is finished, the other kinds for ever.
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE type = 'Consumable' AND finishedDate IS NULL AND installationID = ?1
        UNION ALL
        SELECT * FROM transactionRecord
        WHERE type <> 'Consumable' AND account = ?2 AND bundleID = ?3 AND environment = ?4
        ORDER BY sequence
        """)
    return try StoredTransaction.fetchAll(
      statement,
      arguments: [
        installation.installationID.rawValue, installation.account?.rawValue, installation.bundleID.rawValue,
        installation.environment.rawValue,
      ]
    ).map(\.record)
  }

  func sign(_ contents: AppReceiptContents) throws -> Data {
    let installation = contents.installation
    guard let deviceID = UUID(uuidString: installation.deviceID) else {
      throw AppStoreEmulatorError.unknownInstallation(installation.installationID)
    }
    let isProduction = installation.environment == .production
    var receipt = AppReceipt(
      receiptType: AppReceipt.receiptType(for: installation.environment), bundleID: installation.bundleID,
      applicationVersion: installation.applicationVersion, device: .vendorIdentifier(deviceID),
      opaqueValue: contents.identity.receiptOpaqueValue(installation: installation.installationID),
      creationDate: contents.creationDate,
      inAppPurchases: contents.transactions.map(AppReceipt.InAppPurchase.init(record:)))
    // The sandbox knows neither numbers nor a first version of the app.
    receipt.appItemID = isProduction ? contents.app.appAppleID : 0
    receipt.developerID = isProduction ? contents.identity.developerID() : 0
    receipt.downloadID = isProduction ? contents.identity.downloadID(installation: installation.installationID) : 0
    receipt.versionExternalIdentifier =
      isProduction
      ? contents.identity.versionExternalIdentifier(installation.bundleID, version: installation.applicationVersion) : 0
    receipt.requestDate = contents.creationDate
    receipt.originalPurchaseDate = isProduction ? installation.registrationDate : Self.sandboxOriginalPurchaseDate
    receipt.originalApplicationVersion = isProduction ? installation.originalApplicationVersion : "1.0"
    return try authority.signAppReceipt(receipt, at: contents.creationDate)
  }

  /// In the sandbox every app was bought at 2013-08-01T07:00:00Z.
  static let sandboxOriginalPurchaseDate = StoreDate(millisecondsSince1970: 1_375_340_400_000)
}
