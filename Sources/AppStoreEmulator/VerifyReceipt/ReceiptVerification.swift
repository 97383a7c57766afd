import Foundation
import GRDB
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// What `verifyReceipt` answers at the door of `environment`, for app receipts and legacy receipts.
  ///
  /// What was sent is believed only if this store signed it. What the answer says of each transaction is what the
  /// store's records say now, so that a refund after the receipt was made is seen. A receipt with a transaction of an earlier
  /// epoch that the store has no record of any more gets 21010: its refunds are forgotten, the account with it.
  ///
  /// Which environment a legacy receipt is from follows from its signed part, not from its `environment` key, which
  /// anyone can edit; in what this store signs, the two agree.
  ///
  /// - Parameter body: the request's body, a JSON object with `receipt-data`, and perhaps `password` and
  ///   `exclude-old-transactions`.
  func verifyReceiptAnswer(to body: Data, at environment: StoreEnvironment) async throws -> VerifyReceiptResponse {
    do {
      let request = try VerifyReceiptRequest(body)
      return switch request.receipt {
      case .app(let data): try await answer(appReceipt: data, password: request.password, at: environment)
      case .legacy(let data): try await answer(legacyReceipt: data, password: request.password, at: environment)
      }
    } catch let refusal as VerifyReceiptRequest.Refusal {
      return VerifyReceiptResponse(status: refusal.status)
    } catch let failure as VerificationFailure {
      // Only the fault is told; a forger is not helped.
      return VerifyReceiptResponse(status: failure.fault == .structure ? .malformedReceipt : .notAuthenticated)
    }
  }

  private func answer(
    appReceipt data: Data, password: VerifyReceiptRequest.Password, at environment: StoreEnvironment
  ) async throws -> VerifyReceiptResponse {
    let receipt = try await verifier().verifyAppReceipt(data).value
    if let status = Self.misdirection(of: receipt.environment, at: environment) {
      return VerifyReceiptResponse(status: status)
    }
    let (app, records) = try await database.read { database in
      (
        try StoreApp.lookUp(["bundleID": receipt.bundleID.rawValue], in: database),
        try Self.records(of: receipt, in: database)
      )
    }
    let hasSubscriptions = receipt.inAppPurchases.contains { $0.productType == .autoRenewableSubscription }
    if let status = Self.refusal(password, of: app, needsPassword: hasSubscriptions) {
      return VerifyReceiptResponse(status: status)
    }
    let missing = receipt.inAppPurchases.map(\.transactionID).filter { records[$0] == nil }
    guard missing.allSatisfy(isOfPresentEpoch) else { return VerifyReceiptResponse(status: .accountNotFound) }
    return VerifyReceiptResponse(
      environment: environment, receipt: .app(AppReceiptFields(receipt, records: records, requestDate: clock.now)))
  }

  private func answer(
    legacyReceipt data: Data, password: VerifyReceiptRequest.Password, at environment: StoreEnvironment
  ) async throws -> VerifyReceiptResponse {
    let receipt = try await verifier().verifyLegacyReceipt(data).value
    if let status = Self.misdirection(of: receipt.environment, at: environment) {
      return VerifyReceiptResponse(status: status)
    }
    let (app, record) = try await database.read { database in
      (
        try StoreApp.lookUp(["bundleID": receipt.bundleID.rawValue], in: database),
        try Self.record(of: receipt, environment, in: database)
      )
    }
    if let status = Self.refusal(password, of: app, needsPassword: receipt.expiresDate != nil) {
      return VerifyReceiptResponse(status: status)
    }
    guard record != nil || isOfPresentEpoch(receipt.transactionID) else {
      return VerifyReceiptResponse(status: .accountNotFound)
    }
    // Oldest answers are said to lack `environment`; newer ones have it.
    return VerifyReceiptResponse(
      environment: environment,
      receipt: .transaction(LegacyReceiptFields.fields(of: receipt, record: record)))
  }

  /// The status of a receipt that came to the wrong door; nil if it is the right one. Xcode's have no door.
  private static func misdirection(
    of origin: StoreEnvironment?, at door: StoreEnvironment
  ) -> VerifyReceiptStatus? {
    switch (origin, door) {
    case (door, _): nil
    case (.sandbox, .production): .sandboxReceiptSentToProduction
    case (.production, .sandbox): .productionReceiptSentToSandbox
    default: .malformedReceipt
    }
  }

  private static func refusal(
    _ password: VerifyReceiptRequest.Password, of app: StoreApp?, needsPassword: Bool
  ) -> VerifyReceiptStatus? {
    guard let app else { return .accountNotFound }
    return switch password {
    case .text(app.sharedSecret): nil
    case .none where !needsPassword: nil
    default: .wrongSharedSecret
    }
  }

  private func isOfPresentEpoch(_ id: TransactionID) -> Bool { id.rawValue.hasPrefix(epoch.rawValue) }

  private func verifier() throws -> SignedDataVerifier {
    try receiptVerifier.value { SignedDataVerifier(anchors: try authority.anchors) }
  }
}

extension EmulatedAppStore {
  private static func record(
    of transaction: TransactionID, _ bundleID: BundleID, _ environment: StoreEnvironment?, in database: Database
  ) throws -> TransactionRecord? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM transactionRecord WHERE transactionID = ? AND bundleID = ? AND environment = ?")
    return try StoredTransaction.fetchOne(
      statement, arguments: [transaction.rawValue, bundleID.rawValue, environment?.rawValue])?.record
  }

  /// The record of a legacy receipt's transaction; of one that was delivered once more, the record that was delivered.
  private static func record(
    of receipt: LegacyReceipt, _ environment: StoreEnvironment, in database: Database
  ) throws -> TransactionRecord? {
    let record = try record(of: receipt.transactionID, receipt.bundleID, environment, in: database)
    if let record { return receipt.isSamePurchase(as: record) ? record : nil }
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE originalTransactionID = ? AND productID = ? AND bundleID = ? AND environment = ? AND expiresDate IS ?
        """)
    return try StoredTransaction.fetchOne(
      statement,
      arguments: [
        receipt.originalTransactionID.rawValue, receipt.productID.rawValue, receipt.bundleID.rawValue,
        environment.rawValue, receipt.expiresDate?.millisecondsSince1970,
      ]
    ).map(\.record).flatMap { receipt.isRedelivery(of: $0) ? $0 : nil }
  }

  private static func records(
    of receipt: AppReceipt, in database: Database
  ) throws -> [TransactionID: TransactionRecord] {
    var records: [TransactionID: TransactionRecord] = [:]
    for purchase in receipt.inAppPurchases {
      let record = try record(of: purchase.transactionID, receipt.bundleID, receipt.environment, in: database)
      if let record, purchase.isSamePurchase(as: record) { records[purchase.transactionID] = record }
    }
    return records
  }
}

// Stores that share keys and a seed make the same ids; a record that is not of this purchase says nothing of it. It is
// the same if what never changes of a purchase is the same.

extension AppReceipt.InAppPurchase {
  fileprivate func isSamePurchase(as record: TransactionRecord) -> Bool {
    let other = AppReceipt.InAppPurchase(record: record)
    return transactionID == other.transactionID && originalTransactionID == other.originalTransactionID
      && productID == other.productID && quantity == other.quantity && purchaseDate == other.purchaseDate
  }
}

extension LegacyReceipt {
  fileprivate func isSamePurchase(as record: TransactionRecord) -> Bool {
    transactionID == record.transactionID && originalTransactionID == record.originalTransactionID
      && productID == record.productID && quantity == record.quantity && purchaseDate == record.purchaseDate
  }

  /// A redelivery has an id and a date of its own.
  fileprivate func isRedelivery(of record: TransactionRecord) -> Bool {
    quantity == record.quantity && originalPurchaseDate == record.originalPurchaseDate
      && purchaseDate >= record.purchaseDate
  }
}
