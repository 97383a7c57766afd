import Foundation
import GRDB
import SignedData
import StoreModel

/// Answers `verifyReceipt` for app receipts and legacy receipts.
///
/// A receipt is accepted only if this store signed it. The answer contains the current state of each transaction in the
/// store's records, so it includes refunds after the receipt was made. If a receipt contains a transaction of an
/// earlier epoch that is no longer in the records, the answer is 21010, because its refunds are unknown.
///
/// The environment of a legacy receipt is taken from its signed part, because its `environment` key is not signed.
struct ReceiptVerification: Sendable {
  let database: StoreDatabase
  let verifier: SignedDataVerifier
  let signer: TransactionSigner

  /// Verifies the receipt in a request, and returns the answer.
  ///
  /// - Parameters:
  ///   - body: the request's body, a JSON object with `receipt-data`, and optionally `password` and
  ///     `exclude-old-transactions`.
  ///   - environment: the environment of the URL that the request was sent to.
  func answer(to body: Data, in environment: StoreEnvironment) async throws -> VerifyReceiptResponse {
    do {
      let request = try VerifyReceiptRequest(body)
      return switch request.receipt {
      case .app(let data): try await answer(request, appReceipt: data, in: environment)
      case .legacy(let data): try await answer(request, legacyReceipt: data, in: environment)
      }
    } catch let refusal as VerifyReceiptRequest.Refusal {
      return VerifyReceiptResponse(status: refusal.status)
    } catch let failure as VerificationFailure {
      // Returns no details, because they would help a forger.
      return VerifyReceiptResponse(status: failure.fault == .structure ? .malformedReceipt : .notAuthenticated)
    }
  }

  private func answer(
    _ request: VerifyReceiptRequest, appReceipt data: Data, in environment: StoreEnvironment
  ) async throws -> VerifyReceiptResponse {
    let receipt = try await verifier.verifyAppReceipt(data).value
    if let status = Self.refusal(of: receipt.environment, in: environment) {
      return VerifyReceiptResponse(status: status)
    }
    let hasSubscriptions = receipt.inAppPurchases.contains { $0.productType == .autoRenewableSubscription }
    let judge: @Sendable (StoreUnitOfWork) throws -> Judgement<AppReceiptFields, LatestAppReceipt> = { work in
      if let status = Self.refusal(
        request.password, of: try work.catalog.find(receipt.bundleID), needsPassword: hasSubscriptions)
      {
        return .refused(status)
      }
      let found = try work.transactions(of: receipt)
      let isComplete = found.listed.indices.allSatisfy { index in
        found.listed[index] != nil || work.isOfThisEpoch(receipt.inAppPurchases[index].transactionID)
      }
      guard isComplete else { return .refused(.accountNotFound) }
      return .accepted(
        AppReceiptFields(receipt: receipt, transactions: found, requestDate: try work.takeSignedDate()),
        latest: hasSubscriptions
          ? try work.latest(found, excludesOldTransactions: request.excludesOldTransactions) : nil)
    }
    // The answer's date is stored, so that every later answer has a later date, even while the store's clock stands.
    switch try await database.write(judge) {
    case .refused(let status): return VerifyReceiptResponse(status: status)
    case .accepted(let fields, let latest):
      let signer = signer
      return try await .app(fields, in: environment, latest: latest) {
        try signer.authority.signAppReceipt($0, at: $0.creationDate, leaf: signer.leaf)
      }
    }
  }

  private func answer(
    _ request: VerifyReceiptRequest, legacyReceipt data: Data, in environment: StoreEnvironment
  ) async throws -> VerifyReceiptResponse {
    let receipt = try await verifier.verifyLegacyReceipt(data).value
    if let status = Self.refusal(of: receipt.environment, in: environment) {
      return VerifyReceiptResponse(status: status)
    }
    let hasExpiration = receipt.expiresDate != nil
    let judge: @Sendable (StoreUnitOfWork) throws -> Judgement<[String: String], LatestLegacyReceipt> = { work in
      if let status = Self.refusal(
        request.password, of: try work.catalog.find(receipt.bundleID), needsPassword: hasExpiration)
      {
        return .refused(status)
      }
      let record = try work.record(of: receipt, environment)
      guard record != nil || work.isOfThisEpoch(receipt.transactionID) else { return .refused(.accountNotFound) }
      let subscription = record.flatMap { $0.type == .autoRenewableSubscription ? $0 : nil }
      return .accepted(
        LegacyReceiptFields.fields(of: receipt, record: record),
        latest: try subscription.flatMap(work.latestLegacy))
    }
    switch hasExpiration ? try await database.write(judge) : try await database.read(judge) {
    case .refused(let status): return VerifyReceiptResponse(status: status)
    case .accepted(let fields, nil): return VerifyReceiptResponse(legacy: fields, in: environment)
    case .accepted(let fields, let latest?):
      let data = try signer.legacyReceipt(of: latest.record, latest.input)
      let current = try UnverifiedLegacyReceipt(data).receipt
      return VerifyReceiptResponse(
        legacy: fields, in: environment,
        latest: LegacyRenewalFields(
          latestReceipt: data, transaction: LegacyReceiptFields.fields(of: current, record: latest.record),
          isExpired: latest.isExpired, pending: latest.pending))
    }
  }

  /// The result of a receipt's checks against the store's records.
  private enum Judgement<Fields: Sendable, Latest: Sendable>: Sendable {
    case refused(VerifyReceiptStatus)
    case accepted(Fields, latest: Latest?)
  }

  /// The status of a receipt that was sent to the wrong URL; nil if the URL was right. Receipts of Xcode are valid at
  /// neither URL.
  private static func refusal(
    of origin: StoreEnvironment?, in environment: StoreEnvironment
  ) -> VerifyReceiptStatus? {
    switch (origin, environment) {
    case (environment, _): nil
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
}

extension StoreUnitOfWork {
  fileprivate func isOfThisEpoch(_ id: TransactionID) -> Bool { id.rawValue.hasPrefix(epoch.rawValue) }

  /// The record of a legacy receipt's transaction. For a redelivery, the record that was redelivered.
  fileprivate func record(
    of receipt: LegacyReceipt, _ environment: StoreEnvironment
  ) throws -> TransactionRecord? {
    if let record = try record(of: receipt.transactionID, receipt.bundleID, environment) {
      return receipt.isSamePurchase(as: record) ? record : nil
    }
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

  private func record(
    of transaction: TransactionID, _ bundleID: BundleID, _ environment: StoreEnvironment?
  ) throws -> TransactionRecord? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM transactionRecord WHERE transactionID = ? AND bundleID = ? AND environment = ?")
    return try StoredTransaction.fetchOne(
      statement, arguments: [transaction.rawValue, bundleID.rawValue, environment?.rawValue])?.record
  }
}

// Stores with the same keys and seed make the same transaction ids. So a record matches a receipt only if all its permanent
// values are the same.

extension LegacyReceipt {
  fileprivate func isSamePurchase(as record: TransactionRecord) -> Bool {
    transactionID == record.transactionID && originalTransactionID == record.originalTransactionID
      && productID == record.productID && quantity == record.quantity && purchaseDate == record.purchaseDate
  }

  /// Whether this is the receipt of a redelivery of `record`. Redeliveries have their own id and date, so these may
  /// differ.
  fileprivate func isRedelivery(of record: TransactionRecord) -> Bool {
    quantity == record.quantity && originalPurchaseDate == record.originalPurchaseDate
      && purchaseDate >= record.purchaseDate
  }
}
