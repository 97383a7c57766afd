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
    let settings = try await database.read { $0.settings }
    do {
      let request = try VerifyReceiptRequest(body, ignoresWhiteSpace: settings.lenientBase64)
      return switch request.receipt {
      case .app(let data): try await answer(request, appReceipt: data, in: environment)
      case .legacy(let data): try await answer(request, legacyReceipt: data, in: environment)
      }
    } catch let refusal as VerifyReceiptRequest.Refusal {
      return VerifyReceiptResponse(status: refusal.status, in: environment, because: refusal.reason)
    } catch let failure as VerificationFailure {
      // Apple documents 21003 for receipts that are not authentic, but its endpoint answers 21002.
      let isForgery = failure.fault != .structure
      return VerifyReceiptResponse(
        status: settings.documented21003 && isForgery ? .notAuthenticated : .malformedReceipt, in: environment,
        because: "\(failure.fault.rawValue): \(failure.detail)")
    }
  }

  private func answer(
    _ request: VerifyReceiptRequest, appReceipt data: Data, in environment: StoreEnvironment
  ) async throws -> VerifyReceiptResponse {
    let receipt = try await verifier.verifyAppReceipt(data).value
    try Self.check(receipt.environment, in: environment)
    let hasSubscriptions = receipt.inAppPurchases.contains { $0.productType == .autoRenewableSubscription }
    let judge: @Sendable (StoreUnitOfWork) throws -> Judgement<AppReceiptFields, LatestAppReceipt> = { work in
      let app = try work.catalog.find(receipt.bundleID)
      if let refusal = Self.refusal(request.password, of: app, receipt.bundleID, needsPassword: hasSubscriptions) {
        return .refused(refusal)
      }
      let found = try work.transactions(of: receipt)
      let isComplete = found.listed.indices.allSatisfy { index in
        found.listed[index] != nil || work.isOfThisEpoch(receipt.inAppPurchases[index].transactionID)
      }
      guard isComplete else { return .refused(Self.earlierEpoch) }
      return .accepted(
        AppReceiptFields(receipt: receipt, transactions: found, requestDate: try work.takeSignedDate()),
        latest: hasSubscriptions
          ? try work.latest(found, excludesOldTransactions: request.excludesOldTransactions) : nil)
    }
    // The answer's date is stored, so that every later answer has a later date, even while the store's clock stands.
    switch try await database.write(judge) {
    case .refused(let refusal): throw refusal
    case .accepted(let fields, let latest):
      let signer = signer
      return try await .app(fields, in: environment, latest: latest) {
        try signer.authority.signAppReceipt($0, at: $0.creationDate, chain: signer.chain)
      }
    }
  }

  private func answer(
    _ request: VerifyReceiptRequest, legacyReceipt data: Data, in environment: StoreEnvironment
  ) async throws -> VerifyReceiptResponse {
    let receipt = try await verifier.verifyLegacyReceipt(data).value
    try Self.check(receipt.environment, in: environment)
    let hasExpiration = receipt.expiresDate != nil
    let judge: @Sendable (StoreUnitOfWork) throws -> Judgement<[String: String], LatestLegacyReceipt> = { work in
      let app = try work.catalog.find(receipt.bundleID)
      if let refusal = Self.refusal(request.password, of: app, receipt.bundleID, needsPassword: hasExpiration) {
        return .refused(refusal)
      }
      let record = try work.record(of: receipt, environment)
      guard record != nil || work.isOfThisEpoch(receipt.transactionID) else { return .refused(Self.earlierEpoch) }
      let subscription = record.flatMap { $0.type == .autoRenewableSubscription ? $0 : nil }
      return .accepted(
        LegacyReceiptFields.fields(of: receipt, record: record),
        latest: try subscription.flatMap(work.latestLegacy))
    }
    switch hasExpiration ? try await database.write(judge) : try await database.read(judge) {
    case .refused(let refusal): throw refusal
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
    case refused(VerifyReceiptRequest.Refusal)
    case accepted(Fields, latest: Latest?)
  }

  /// Throws if the receipt was sent to the wrong URL. Receipts of Xcode are valid at neither URL.
  private static func check(
    _ origin: StoreEnvironment?, in environment: StoreEnvironment
  ) throws(VerifyReceiptRequest.Refusal) {
    let status: VerifyReceiptStatus
    switch (origin, environment) {
    case (environment, _): return
    case (.sandbox, .production): status = .sandboxReceiptSentToProduction
    case (.production, .sandbox): status = .productionReceiptSentToSandbox
    default: status = .malformedReceipt
    }
    throw .init(
      status: status,
      reason:
        "the receipt is of \(origin?.rawValue ?? "an unknown environment"), and was sent to \(environment.rawValue)")
  }

  private static func refusal(
    _ password: VerifyReceiptRequest.Password, of app: StoreApp?, _ bundleID: BundleID, needsPassword: Bool
  ) -> VerifyReceiptRequest.Refusal? {
    guard let app else {
      return .init(
        status: .accountNotFound, reason: "this store does not serve the app \(bundleID.rawValue.prefix(200))")
    }
    switch password {
    case .text(app.sharedSecret): return nil
    case .none where !needsPassword: return nil
    case .none:
      return .init(status: .wrongSharedSecret, reason: "password is missing; the receipt has a subscription")
    case .text: return .init(status: .wrongSharedSecret, reason: "password is not the app's shared secret")
    case .unusable: return .init(status: .wrongSharedSecret, reason: "password is not a string")
    }
  }

  private static let earlierEpoch = VerifyReceiptRequest.Refusal(
    status: .accountNotFound,
    reason: "a transaction in the receipt is of an earlier epoch, and no longer in the store's records")
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
