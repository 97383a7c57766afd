import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel

extension SendConsumptionInformation: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<EmptyAnswer> {
    let stored = try backend.purchase(transactionId)
    if content.consumptionPercentage != nil, stored.record.type == .autoRenewableSubscription {
      throw ServerAPIRefusal(
        .consumptionPercentageAutoRenewableSubscription,
        "transaction \(transactionId) is one of an auto-renewable subscription, which has no consumptionPercentage")
    }
    try backend.store(content, version: 2, of: stored)
    return { _ in EmptyAnswer() }
  }
}

extension SendConsumptionInformationV1: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<EmptyAnswer> {
    let stored = try backend.purchase(transactionId)
    guard [.consumable, .autoRenewableSubscription].contains(stored.record.type) else {
      throw ServerAPIRefusal(
        .invalidTransactionTypeNotSupported,
        "transaction \(transactionId) is a \(stored.record.type.rawValue); version 1 is for consumables and auto-renewable subscriptions"
      )
    }
    try backend.store(content, version: 1, of: stored)
    return { _ in EmptyAnswer() }
  }
}

extension BackendScope {
  /// A transaction that the customer has bought.
  fileprivate func purchase(_ id: TransactionID) throws -> StoredTransaction {
    let stored = try transaction(id)
    guard stored.sharedTransactionID == nil else {
      throw ServerAPIRefusal(.familyTransactionNotSupported, "transaction \(id) is a family member's share")
    }
    return stored
  }

  /// Stores the information in place of earlier information about the transaction. It is accepted whether or not the customer asked
  /// for a refund, and also after 12 hours.
  fileprivate func store(_ content: some ServerAPIBody, version: Int, of stored: StoredTransaction) throws {
    try ConsumptionInformationRow(
      transactionID: stored.record.transactionID, version: version,
      content: String(decoding: try ServerAPI.encoder().encode(content), as: UTF8.self), date: work.now
    ).upsert(work.database)
  }
}
