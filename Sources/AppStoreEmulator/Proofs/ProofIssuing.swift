import Foundation
import GRDB
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// What the proofs of a transaction would follow from now. Changes nothing.
  ///
  /// - Parameter id: its own, or one under which it was delivered once more.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  package func proofBasis(of id: TransactionID) async throws -> ProofBasis {
    try await database.read { try Self.proofBasis(of: id, in: $0) }
  }

  /// Signs a transaction, and its receipts, as of now.
  ///
  /// It does not come into the request journal, and no fault strikes it. The date of the signature is taken from the store like any
  /// other, so that no two signatures have the same.
  ///
  /// - Parameter id: its own, or one under which it was delivered once more.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``, or `StoreRefusal` where nothing can be signed any more.
  package func proofs(of id: TransactionID) async throws -> TransactionProofs {
    let (basis, rendering, contents) = try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let basis = try Self.proofBasis(of: id, in: database)
      let provision = Provision(stored: basis.stored, redelivery: nil)
      return (
        basis, try self.render([provision], for: basis.installation, now: now, in: database)[0],
        try self.contents(basis.listed, for: basis.installation, now: now, in: database)
      )
    }
    let record = basis.stored.record
    return TransactionProofs(
      basis: basis,
      signedTransaction: try authority.signTransaction(
        SignedTransaction(record: record, signedDate: rendering.signedDate)),
      appReceipt: try sign(contents), legacyReceipt: try legacyReceipt(of: record, in: rendering))
  }

  /// Asks `verifyReceipt` about a transaction's receipts.
  package func answers(to proofs: TransactionProofs) async throws -> ProofAnswers {
    let secret = try await app(proofs.basis.stored.record.bundleID).sharedSecret
    return ProofAnswers(
      appReceipt: try await answers(to: proofs.appReceipt, secret: secret),
      legacyReceipt: try await answers(to: proofs.legacyReceipt, secret: secret))
  }

  private func answers(
    to receipt: Data, secret: String
  ) async throws -> [StoreEnvironment: VerifyReceiptResponse] {
    let body = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString(), "password": secret])
    var answers: [StoreEnvironment: VerifyReceiptResponse] = [:]
    for environment in [StoreEnvironment.production, .sandbox] {
      answers[environment] = try await verifyReceiptAnswer(to: body, at: environment)
    }
    return answers
  }

  private static func proofBasis(of id: TransactionID, in database: Database) throws -> ProofBasis {
    let stored = try details(id, in: database).stored
    let registered = try proofInstallation(of: stored, in: database)
    let installation = try registered ?? inventedInstallation(for: stored, in: database)
    return ProofBasis(
      stored: stored, installation: installation, isInstallationInvented: registered == nil,
      listed: try proofTransactions(with: stored, on: installation, in: database))
  }

  private static func proofInstallation(of stored: StoredTransaction, in database: Database) throws -> Installation? {
    if let id = stored.installationID,
      let here = try Installation.lookUp(["installationID": id.rawValue], in: database),
      here.account == stored.account
    {
      return here
    }
    return try Installation.fetchOne(
      database,
      sql: """
        SELECT * FROM installation WHERE account = ? AND bundleID = ? AND environment = ?
        ORDER BY registrationDate DESC, rowid DESC LIMIT 1
        """,
      arguments: [stored.account.rawValue, stored.record.bundleID.rawValue, stored.record.environment.rawValue])
  }

  /// An installation for an owner without one: the same each time, and not stored.
  private static func inventedInstallation(
    for stored: StoredTransaction, in database: Database
  ) throws -> Installation {
    let (record, account) = (stored.record, stored.account)
    let device = try StoreLife.fetch(database).identity.uuid(
      "deviceOfProofs", account.rawValue, record.environment.rawValue, record.bundleID.rawValue)
    return Installation(
      installationID: InstallationID("proofs for \(account)"), bundleID: record.bundleID,
      environment: record.environment, deviceID: device.uuidString, applicationVersion: "1.0",
      originalApplicationVersion: "1.0", account: account, registrationDate: record.originalPurchaseDate)
  }

  /// What the installation's receipt would list if its device asked for what is unfinished now: the transaction and others that wait
  /// for the first device that asks are then delivered there.
  private static func proofTransactions(
    with stored: StoredTransaction, on installation: Installation, in database: Database
  ) throws -> [TransactionRecord] {
    let listed = try receiptTransactions(of: installation, in: database)
    let waiting = try StoredTransaction.fetchAll(
      database,
      sql: """
        SELECT * FROM transactionRecord
        WHERE type = 'Consumable' AND finishedDate IS NULL AND account = ? AND bundleID = ? AND environment = ?
          AND (installationID IS NULL AND \(TransactionRecord.isDeliverableSQL) OR transactionID = ?)
        ORDER BY sequence
        """,
      arguments: [
        stored.account.rawValue, stored.record.bundleID.rawValue, stored.record.environment.rawValue,
        stored.record.transactionID.rawValue,
      ]
    ).map(\.record)
    let known = Set(listed.map(\.transactionID))
    return listed + waiting.filter { !known.contains($0.transactionID) }
  }
}
