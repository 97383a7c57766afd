import AppStoreServerAPI
import GRDB
import StoreModel

extension GetTransactionHistory: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<HistoryResponse> {
    try backend.history(of: anyTransactionId, query, "TRUE")
  }
}

extension GetTransactionHistoryV1: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<HistoryResponse> {
    try backend.history(of: anyTransactionId, query, "(type <> 'Consumable' OR finishedDate IS NULL)")
  }
}

extension BackendScope {
  /// A page of a customer's transactions, in the order of their last changes.
  ///
  /// Of a transaction that changes meanwhile, an ascending history lists the state before and after, on different pages.
  fileprivate func history(
    of id: TransactionID, _ query: TransactionHistoryQuery, _ condition: SQL
  ) throws -> UnsignedAnswer<HistoryResponse> {
    let customer = try customer(of: id)
    let isDescending = query.sort == .descending
    let position = try HistoryPosition(query.revision, isDescending: isDescending, in: work.epoch)
    let found = try work.listing.transactions(
      of: customer, position, where: [condition, query.condition].joined(separator: " AND "),
      limit: HistoryResponse.pageSize + 1)
    let page = found.prefix(HistoryResponse.pageSize)
    let transactions = try signable(page)
    let last = HistoryPosition(
      number: page.last?.record.revision ?? position.number, isDescending: isDescending, epoch: work.epoch)
    let (app, appAppleID, environment, hasMore) = (app, appAppleID, environment, found.count > page.count)
    return {
      HistoryResponse(
        revision: last.description, hasMore: hasMore, bundleId: app.bundleID, appAppleId: appAppleID,
        environment: OpenEnum(environment), signedTransactions: try await $0.sign(transactions))
    }
  }
}

extension HistoryPosition {
  /// - Parameter token: the `revision` of a request; nil for the first page.
  /// - Throws: ``ServerAPIRefusal``.
  fileprivate init(_ token: String?, isDescending: Bool, in epoch: StoreEpoch) throws(ServerAPIRefusal) {
    guard let token else {
      self.init(number: isDescending ? .max : 0, isDescending: isDescending, epoch: epoch)
      return
    }
    guard let position = HistoryPosition(token) else {
      throw ServerAPIRefusal(.invalidRequestRevision, "the query's revision is none of this store")
    }
    guard position.epoch == epoch else {
      throw ServerAPIRefusal(
        .invalidRequestRevision,
        "the query's revision is of before a reset or a restored snapshot; begin anew without it")
    }
    guard position.isDescending == isDescending else {
      throw ServerAPIRefusal(.invalidRequestRevision, "the query's revision is of a history with another sort")
    }
    self = position
  }
}

extension TransactionHistoryQuery {
  /// The filters in SQL.
  fileprivate var condition: SQL {
    var conditions: [SQL] = ["TRUE"]
    if let startDate { conditions.append("purchaseDate >= \(startDate.millisecondsSince1970)") }
    if let endDate { conditions.append("purchaseDate < \(endDate.millisecondsSince1970)") }
    if !productIds.isEmpty { conditions.append("productID IN \(productIds.map(\.rawValue))") }
    if !productTypes.isEmpty { conditions.append("type IN \(productTypes.map(\.productType.rawValue))") }
    if !subscriptionGroupIdentifiers.isEmpty {
      conditions.append("subscriptionGroupID IN \(subscriptionGroupIdentifiers.map(\.rawValue))")
    }
    if let inAppOwnershipType { conditions.append("ownership = \(inAppOwnershipType.rawValue)") }
    if let revoked { conditions.append(revoked ? "revocationDate IS NOT NULL" : "revocationDate IS NULL") }
    if excludeRevoked == true { conditions.append("revocationDate IS NULL") }
    return conditions.joined(separator: " AND ")
  }
}

// MARK: Refunds

extension GetRefundHistory: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<RefundHistoryResponse> {
    let position = try RefundPosition(revision, in: backend.work.epoch)
    let (page, last, hasMore) = try backend.refunds(
      of: anyTransactionId, after: position, limit: HistoryResponse.pageSize)
    let transactions = try backend.signable(page)
    return {
      RefundHistoryResponse(
        signedTransactions: try await $0.sign(transactions), revision: last.description, hasMore: hasMore)
    }
  }
}

extension GetRefundHistoryV1: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<RefundLookupResponse> {
    let position = try RefundPosition(nil, in: backend.work.epoch)
    let page = try backend.refunds(of: originalTransactionId, after: position, limit: Self.largestNumber).page
    let transactions = try backend.signable(page)
    return { RefundLookupResponse(signedTransactions: try await $0.sign(transactions)) }
  }
}

/// The end of a page of refunds. They are in the order of their dates, and within a second in the order of their revisions, so that
/// a refund of the same second is not missed.
private struct RefundPosition: LosslessStringConvertible {
  let epoch: StoreEpoch
  let milliseconds: Int64
  let revision: Int64

  init(epoch: StoreEpoch, milliseconds: Int64, revision: Int64) {
    (self.epoch, self.milliseconds, self.revision) = (epoch, milliseconds, revision)
  }

  init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let milliseconds = Int64(parts[1]), let revision = Int64(parts[2]), milliseconds >= 0,
      revision >= 0
    else { return nil }
    self.init(epoch: StoreEpoch(String(parts[0])), milliseconds: milliseconds, revision: revision)
  }

  var description: String { "\(epoch.rawValue)-\(milliseconds)-\(revision)" }

  init(_ token: String?, in epoch: StoreEpoch) throws(ServerAPIRefusal) {
    guard let token else {
      self.init(epoch: epoch, milliseconds: 0, revision: 0)
      return
    }
    guard let position = RefundPosition(token), position.epoch == epoch else {
      throw ServerAPIRefusal(
        .invalidRequestRevision, "the query's revision is none of a refund history of this store since its last reset")
    }
    self = position
  }
}

extension BackendScope {
  /// The refunded purchases of a customer, the oldest refund first. Revoked family shares are no refunds.
  fileprivate func refunds(
    of id: TransactionID, after position: RefundPosition, limit: Int
  ) throws -> (page: [StoredTransaction], last: RefundPosition, hasMore: Bool) {
    let customer = try customer(of: id)
    let statement = try work.database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord INDEXED BY transactionRecordRevoked
        WHERE account = ?1 AND bundleID = ?2 AND environment = ?3 AND sharedTransactionID IS NULL
          AND revocationDate IS NOT NULL AND revocationDate >= ?4 AND (revocationDate > ?4 OR revision > ?5)
        ORDER BY revocationDate, revision LIMIT ?6
        """)
    let found = try StoredTransaction.fetchAll(
      statement, arguments: customer.arguments + [position.milliseconds, position.revision, limit + 1])
    let page = Array(found.prefix(limit))
    let last = page.last.map {
      RefundPosition(
        epoch: position.epoch, milliseconds: $0.record.revocationDate?.millisecondsSince1970 ?? 0,
        revision: $0.record.revision)
    }
    return (page, last ?? position, found.count > limit)
  }
}
