import AppStoreServerAPI
import GRDB
import SignedData
import StoreModel

extension GetTransactionInfo: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<TransactionInfoResponse> {
    let transaction = try backend.signable(backend.transaction(transactionId))
    return { TransactionInfoResponse(signedTransactionInfo: try $0.sign(transaction)) }
  }
}

extension FinishTransaction: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<EmptyAnswer> {
    _ = try backend.transaction(transactionId)
    try backend.work.finishes.finish(transactionId)
    return { _ in EmptyAnswer() }
  }
}

extension LookUpOrderID: ServerAPIRule {
  /// An order of a charge. Free transactions have none.
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<OrderLookupResponse> {
    guard backend.environment == .production else {
      throw ServerAPIRefusal(.generalBadRequest, "orders can be looked up in production only, and this is the sandbox")
    }
    let statement = try backend.work.database.cachedStatement(
      sql: """
        SELECT record.* FROM charge JOIN transactionRecord AS record USING (transactionID)
        WHERE charge.orderID = ? AND charge.environment = '\(StoreEnvironment.production.rawValue)'
          AND charge.bundleID = ? ORDER BY sequence
        """)
    let found = try StoredTransaction.fetchAll(
      statement, arguments: [orderId, backend.app.bundleID.rawValue])
    guard !found.isEmpty else { return { _ in OrderLookupResponse(status: OpenEnum(.invalid)) } }
    let transactions = try backend.signable(found)
    return { OrderLookupResponse(status: OpenEnum(.valid), signedTransactions: try await $0.sign(transactions)) }
  }
}

extension SetAppAccountToken: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<EmptyAnswer> {
    let stored = try backend.original(originalTransactionId)
    let id = originalTransactionId
    guard stored.sharedTransactionID == nil else {
      throw ServerAPIRefusal(.familyTransactionNotSupported, "transaction \(id) is a family member's share")
    }
    guard stored.record.originalTransactionID == id else {
      throw ServerAPIRefusal(
        .transactionIdIsNotOriginalTransactionId,
        "transaction \(id) is not original; its original is \(stored.record.originalTransactionID)")
    }
    try backend.work.accountTokens.set(content.appAccountToken, of: stored)
    return { _ in EmptyAnswer() }
  }
}

extension GetAppTransactionInfo: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<AppTransactionInfoResponse> {
    let customer = try backend.customer(of: anyTransactionId)
    guard let transaction = try backend.work.appTransaction(of: customer, backend.app) else {
      throw ServerAPIRefusal(
        .appTransactionDoesNotExist, "the customer \(customer.account) has no installation of \(customer.bundleID)")
    }
    return { AppTransactionInfoResponse(signedAppTransactionInfo: try $0.sign(transaction)) }
  }
}
