import GRDB
import SignedData
import StoreModel

extension Deliveries {
  /// A page of the signed-in customer's transactions in the app that changed after a revision, in the order of their
  /// changes. A finish is a change, too, although it does not raise the revision of the record.
  ///
  /// - Parameters:
  ///   - revision: the end of the previous page; nil for all transactions.
  ///   - limit: the maximum number of transactions; nil for ``pageSize``, which is also the largest.
  ///   - withStatuses: whether the last page has the statuses of all subscriptions of the customer. Its revision is then the
  ///     largest of transactions and subscriptions.
  /// - Throws: ``StoreRefusal``.
  func changed(after revision: StoreRevision?, limit: Int?, withStatuses: Bool = false) throws -> UnsignedChanges {
    guard let account = installation.account else {
      throw StoreRefusal(.signInRequired, "Sign in to receive your transactions.")
    }
    guard limit.map({ $0 > 0 }) ?? true else {
      throw StoreRefusal(.malformedRequest, "A page has at least one transaction.")
    }
    let size = min(limit ?? Self.pageSize, Self.pageSize)
    let number = try number(of: revision)
    let customer = Scope(account, on: installation)
    // Fetches one more than a page has, to detect whether there is another page.
    let found = try StoredTransaction.all(
      work.database.cachedStatement(sql: Self.changedOrFinishedSQL),
      arguments: customer.arguments + [number, size + 1])
    let page = found.prefix(size)
    let hasStatuses = withStatuses && found.count == page.count
    var last = page.last?.changeNumber ?? number
    if hasStatuses { last = max(last, try work.lastRevision(of: customer)) }
    return UnsignedChanges(
      account: account, transactions: try work.signingInputs(page.map { Fulfilment(stored: $0) }, for: installation),
      revision: StoreRevision(epoch: work.epoch, number: last), hasMore: found.count > page.count,
      statuses: hasStatuses ? try statuses(of: customer) : nil)
  }

  private func statuses(of customer: Scope) throws -> [UnsignedDeviceStatus] {
    try work.customerSubscriptions(of: customer).map { subscription in
      UnsignedDeviceStatus(
        groupID: subscription.row.groupID,
        transaction: SignedTransaction(record: subscription.last.record, signedDate: try work.takeSignedDate()),
        renewalInfo: try work.renewalInfo(
          of: subscription.row, for: subscription.last, signedDate: work.takeSignedDate()),
        installation: installation, identity: work.identity)
    }
  }

  private func number(of revision: StoreRevision?) throws -> Int64 {
    guard let revision else { return 0 }
    let number: Int64
    do {
      number = try revision.number(in: work.epoch)
    } catch {
      throw StoreRefusal(.epochEnded, error.description)
    }
    // After such a number, the device would wait for ever. It begins again.
    guard try isGiven(number) else {
      throw StoreRefusal(.epochEnded, "The revision \(revision) is later than the newest change.")
    }
    return number
  }

  /// Whether the store has given a revision.
  func isGiven(_ revision: Int64) throws -> Bool { try revision < StoreRow.fetch(work.database).nextRevision }

  /// Also the finished ones, for devices. The history of the Server API (``RecordListing``) has only changes of the records.
  static let changedOrFinishedSQL = """
    SELECT * FROM transactionRecord INDEXED BY transactionRecordChanged
    WHERE account = ? AND bundleID = ? AND environment = ? AND \(StoredTransaction.changeNumberSQL) > ?
    ORDER BY \(StoredTransaction.changeNumberSQL) LIMIT ?
    """
}
