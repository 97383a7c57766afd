import AppStoreServerAPI
import GRDB
import SignedData
import StoreModel

/// A call of the Server API with its rule: what this store does, and answers. Each call is documented at its type.
///
/// The rule is one unit of work. What it returns signs the answer after the commit.
protocol ServerAPIRule: ServerAPICall {
  /// - Throws: ``ServerAPIRefusal`` for what the store's state does not allow.
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<Self.Answer>
}

/// Makes an answer by signing its parts.
typealias UnsignedAnswer<Signed> = @Sendable (TransactionSigner) async throws -> Signed

/// The app and environment that a backend asks about, with the look-ups that its calls share.
struct BackendScope {
  let work: StoreUnitOfWork
  let app: StoreApp
  let environment: StoreEnvironment

  /// Answers contain the number of the app in production only.
  var appAppleID: Int64? { environment == .production ? app.appAppleID : nil }

  // MARK: Look-ups

  /// The transaction of an id that must not be an `appTransactionId`. The id of a redelivery finds what it delivered again.
  ///
  /// - Parameter code: the error if there is none.
  /// - Throws: ``ServerAPIRefusal``.
  func transaction(
    _ id: TransactionID, or code: ServerAPIErrorCode = .transactionIdNotFound
  ) throws -> StoredTransaction {
    if let stored = try find(id) { return stored }
    if try ownerOfApp(id) != nil {
      throw ServerAPIRefusal(
        .appTransactionIdNotSupported, "\(id) is an appTransactionId; send the id of a transaction")
    }
    throw try notFound(id, code)
  }

  /// The transaction of an id that must be original.
  ///
  /// - Throws: ``ServerAPIRefusal``.
  func original(_ id: TransactionID) throws -> StoredTransaction {
    try transaction(id, or: .originalTransactionIdNotFound)
  }

  /// The customer of a transaction id or an `appTransactionId`.
  ///
  /// - Throws: ``ServerAPIRefusal``.
  func customer(of id: TransactionID) throws -> Scope {
    if let stored = try find(id) { return Scope(stored) }
    guard let owner = try ownerOfApp(id) else { throw try notFound(id, .transactionIdNotFound) }
    return owner
  }

  private func find(_ id: TransactionID) throws -> StoredTransaction? {
    guard let stored = try anywhere(id), isHere(stored) else { return nil }
    return stored
  }

  private func anywhere(_ id: TransactionID) throws -> StoredTransaction? {
    if let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: work.database) { return stored }
    guard let redelivery = try Redelivery.lookUp(["transactionID": id.rawValue], in: work.database) else { return nil }
    return try StoredTransaction.lookUp(["transactionID": redelivery.recordID.rawValue], in: work.database)
  }

  private func ownerOfApp(_ id: TransactionID) throws -> Scope? {
    let statement = try work.database.cachedStatement(
      sql: "SELECT * FROM transactionRecord WHERE appTransactionID = ? LIMIT 1")
    guard let stored = try StoredTransaction.fetchOne(statement, arguments: [id.rawValue]), isHere(stored) else {
      return nil
    }
    return Scope(stored)
  }

  private func isHere(_ stored: StoredTransaction) -> Bool {
    stored.record.bundleID == app.bundleID && stored.record.environment == environment
  }

  private func notFound(_ id: TransactionID, _ code: ServerAPIErrorCode) throws -> ServerAPIRefusal {
    guard let elsewhere = try anywhere(id)?.record else {
      return ServerAPIRefusal(code, "this store has no transaction \(id)")
    }
    guard elsewhere.bundleID == app.bundleID else {
      return ServerAPIRefusal(code, "transaction \(id) is one of another app, \(elsewhere.bundleID)")
    }
    return ServerAPIRefusal(
      code,
      "transaction \(id) is one of \(elsewhere.environment.lowercaseName), and this is \(environment.lowercaseName)")
  }

  // MARK: What is signed

  /// The contents of signed transactions. Each has its own `signedDate`.
  func signable(_ transactions: some Sequence<StoredTransaction>) throws -> [SignedTransaction] {
    try transactions.map(signable)
  }

  func signable(_ stored: StoredTransaction) throws -> SignedTransaction {
    SignedTransaction(record: stored.record, signedDate: try work.takeSignedDate())
  }
}
