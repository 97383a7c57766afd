import Foundation
import GRDB
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// Answers `verifyReceipt` at the door of `environment`.
  ///
  /// What was sent is believed only if this store signed it. What the answer says of each transaction is what the
  /// store's records say now, so that a refund after the receipt was made is seen.
  ///
  /// - Parameter body: the request's body, a JSON object with `receipt-data` and perhaps `password`.
  public func verifyReceipt(_ body: Data, at environment: StoreEnvironment) async throws -> VerifyReceiptResponse {
    guard let request = try? JSONSerialization.jsonObject(with: body) as? [String: Any] else {
      return VerifyReceiptResponse(status: .unreadableRequest)
    }
    guard let text = request["receipt-data"] as? String,
      let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !data.isEmpty
    else { return VerifyReceiptResponse(status: .malformedReceipt) }

    let receipt: AppReceipt
    do {
      receipt = try await verifier().verifyAppReceipt(data).value
    } catch let error as VerificationFailure {
      // Only the fault is told; a forger is not helped.
      return VerifyReceiptResponse(status: error.fault == .structure ? .malformedReceipt : .notAuthenticated)
    }
    switch (receipt.environment, environment) {
    case (.sandbox, .production): return VerifyReceiptResponse(status: .sandboxReceiptSentToProduction)
    case (.production, .sandbox): return VerifyReceiptResponse(status: .productionReceiptSentToSandbox)
    case (environment, _): break
    default: return VerifyReceiptResponse(status: .malformedReceipt)
    }

    let (app, records) = try await database.read { database in
      (
        try StoreApp.lookUp(["bundleID": receipt.bundleID.rawValue], in: database),
        try Self.records(of: receipt, in: database)
      )
    }
    guard let app else { return VerifyReceiptResponse(status: .accountNotFound) }
    if let password = request["password"], !(password is NSNull), password as? String != app.sharedSecret {
      return VerifyReceiptResponse(status: .wrongSharedSecret)
    }
    return VerifyReceiptResponse(
      status: .valid, environment: environment,
      receipt: ReceiptFields(receipt, records: records, requestDate: clock.now))
  }

  private func verifier() throws -> SignedDataVerifier {
    try receiptVerifier.value { SignedDataVerifier(anchors: try authority.anchors) }
  }

  private static func records(
    of receipt: AppReceipt, in database: Database
  ) throws -> [TransactionID: StoredTransaction] {
    var records: [TransactionID: StoredTransaction] = [:]
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM transactionRecord WHERE transactionID = ? AND bundleID = ? AND environment = ?")
    for purchase in receipt.inAppPurchases {
      let stored = try StoredTransaction.fetchOne(
        statement,
        arguments: [
          purchase.transactionID.rawValue, receipt.bundleID.rawValue, receipt.environment?.rawValue,
        ])
      // Stores that share keys and a seed make the same ids; a record that is not of this purchase says nothing of it.
      if let stored, AppReceipt.InAppPurchase(record: stored.record).isSamePurchase(as: purchase) {
        records[purchase.transactionID] = stored
      }
    }
    return records
  }
}

extension AppReceipt.InAppPurchase {
  /// What of a purchase never changes is the same.
  fileprivate func isSamePurchase(as other: AppReceipt.InAppPurchase) -> Bool {
    transactionID == other.transactionID && originalTransactionID == other.originalTransactionID
      && productID == other.productID && quantity == other.quantity && purchaseDate == other.purchaseDate
  }
}
