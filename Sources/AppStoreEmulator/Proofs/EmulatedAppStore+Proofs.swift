import Foundation
import GRDB
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// What the proofs of a transaction would follow from now. Changes nothing.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  package func proofBasis(of id: TransactionID) async throws -> ProofBasis {
    try await database.read { try Self.proofBasis(of: id, in: $0) }
  }

  /// Signs a transaction, and the receipts it is in, as of now.
  ///
  /// Nothing of it comes into the request journal, and no fault strikes it: nobody asked through a door. The date of the
  /// signature is taken from the store like any other, so that no two signatures have the same.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``, or `StoreRefusal` where nothing can be signed any more.
  package func proofs(of id: TransactionID) async throws -> TransactionProofs {
    let (basis, signedDate, rendering, contents) = try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let basis = try Self.proofBasis(of: id, in: database)
      guard let installation = basis.installation else {
        return (basis, try StoreRow.takeSignedDate(database, now: now), nil as Rendering?, nil as AppReceiptContents?)
      }
      let provision = Provision(stored: basis.stored, redelivery: nil)
      let rendering = try self.render([provision], for: installation, now: now, in: database).first
      return (
        basis, try rendering?.signedDate ?? StoreRow.takeSignedDate(database, now: now), rendering,
        try self.refreshedContents(for: installation, now: now, in: database)
      )
    }
    let record = basis.stored.record
    let appReceipt = try contents.map { try sign($0) }
    let transactionReceipt = try rendering.map { try legacyReceipt(of: record, in: $0) }
    let secret = contents?.app.sharedSecret
    return TransactionProofs(
      basis: basis,
      signedTransaction: try authority.signTransaction(SignedTransaction(record: record, signedDate: signedDate)),
      appReceipt: appReceipt, transactionReceipt: transactionReceipt,
      appReceiptAnswers: try await answers(to: appReceipt, secret: secret),
      transactionReceiptAnswers: try await answers(to: transactionReceipt, secret: secret))
  }

  private func answers(
    to receipt: Data?, secret: String?
  ) async throws -> [StoreEnvironment: VerifyReceiptResponse] {
    guard let receipt, let secret else { return [:] }
    let body = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString(), "password": secret])
    var answers: [StoreEnvironment: VerifyReceiptResponse] = [:]
    for door in [StoreEnvironment.production, .sandbox] {
      answers[door] = try await verifyReceiptAnswer(to: body, at: door)
    }
    return answers
  }

  private static func proofBasis(of id: TransactionID, in database: Database) throws -> ProofBasis {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    let installation = try proofInstallation(of: stored, in: database)
    let listed = try installation.map { try receiptTransactions(of: $0, in: database) }
    return ProofBasis(stored: stored, installation: installation, listed: listed ?? [])
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
}
