import GRDB
import StoreModel

/// Pages of the lists that are not of transactions. A page begins after the element with the key `after`; the first page
/// if that is nil.
///
/// The methods throw ``AppStoreEmulatorError/unknownPage`` if no element of the list has that key, such as after a reset.
extension RecordListing {
  /// The number of products on a page of apps after which the page ends. One app can have more.
  static let mostProducts = 10_000

  /// Apps by bundle id, with their catalogs.
  func apps(after key: [String]?, limit: Int) throws -> ListPage<AppOnSale> {
    var (found, products, limit): ([AppOnSale], Int, Int) = ([], 0, limit)
    for app in try apps(after: try Self.parts(of: key, 1)[0], limit: limit + 1) {
      if products >= Self.mostProducts { limit = min(limit, found.count) }
      // The app after the page only shows that there is another page.
      let catalog = found.count < limit ? try work.catalog.entries(of: app.bundleID) : []
      found.append(AppOnSale(app: app, catalog: catalog))
      products += catalog.count
      if found.count > limit { break }
    }
    return ListPage(found, limit: limit) { [$0.app.bundleID.rawValue] }
  }

  /// Apps by bundle id, without their catalogs.
  func apps(after bundleID: String = "", limit: Int) throws -> [StoreApp] {
    try StoreApp.filter(Column("bundleID") > bundleID).order(Column("bundleID")).limit(limit).fetchAll(work.database)
  }

  /// Customers by environment and name.
  func customers(after key: [String]?, limit: Int) throws -> ListPage<Customer> {
    let after = try Self.parts(of: key, 2)
    return ListPage(
      try Customer.fetchAll(
        work.database,
        sql: "SELECT * FROM customer WHERE (environment, name) > (?, ?) ORDER BY environment, name LIMIT ?",
        arguments: [after[0], after[1], limit + 1]), limit: limit
    ) { [$0.environment.rawValue, $0.name.rawValue] }
  }

  /// Installations in the order of their registration.
  func installations(after key: [String]?, limit: Int) throws -> ListPage<Installation> {
    let number: Int64 =
      if let key {
        try value(of: "SELECT rowid FROM installation WHERE installationID = ?", try Self.parts(of: key, 1))
      } else {
        0
      }
    return ListPage(
      try Installation.filter(Column.rowID > number).order(Column.rowID).limit(limit + 1).fetchAll(work.database),
      limit: limit
    ) { [$0.installationID.rawValue] }
  }

  /// The payments that wait for approval, oldest first. A page can begin after one that was decided meanwhile.
  func approvals(after key: [String]?, limit: Int) throws -> ListPage<PendingApproval> {
    var (date, number): (Int64, Int64) = (.min, 0)
    if let key {
      let (parts, place) = (try Self.parts(of: key, 2), "FROM payment WHERE installationID = ? AND paymentID = ?")
      date = try value(of: "SELECT decisionDate \(place)", parts)
      number = try value(of: "SELECT rowid \(place)", parts)
    }
    let rows = try PaymentRow.fetchAll(
      work.database,
      sql: """
        SELECT * FROM payment WHERE transactionID IS NULL AND refusal IS NULL AND (decisionDate, rowid) > (?, ?)
        ORDER BY decisionDate, rowid LIMIT ?
        """, arguments: [date, number, limit + 1])
    return ListPage(rows, limit: limit) { [$0.installationID.rawValue, $0.paymentID.rawValue] }
      .compactMap(PendingApproval.init)
  }

  /// All payments that wait for approval, oldest first.
  func approvals() throws -> [PendingApproval] {
    try PaymentRow.fetchAll(
      work.database,
      sql: "SELECT * FROM payment WHERE transactionID IS NULL AND refusal IS NULL ORDER BY decisionDate, rowid"
    ).compactMap(PendingApproval.init)
  }

  /// The oldest payments that wait for approval and fit a filter, with their installations. The filter's state and page are of
  /// transactions, and have no effect.
  func approvals(fitting filter: RecordFilter) throws -> [(approval: PendingApproval, installation: Installation)] {
    let rows = try PaymentRow.fetchCursor(work.database, Self.waiting(filter))
    var found: [(approval: PendingApproval, installation: Installation)] = []
    while found.count < filter.limit, let row = try rows.next() {
      guard let approval = PendingApproval(row), filter.fits(approval) else { continue }
      found.append((approval, try work.installations.installation(row.installationID)))
    }
    return found
  }

  /// The waiting payments of a filter's customer, environment and app. Those of a customer are found without those of others.
  static func waiting(_ filter: RecordFilter) -> SQLRequest<PaymentRow> {
    var conditions: [SQL] = ["payment.transactionID IS NULL AND payment.refusal IS NULL"]
    if let account = filter.account { conditions.append("payment.account = \(account.rawValue)") }
    if let environment = filter.environment { conditions.append("environment = \(environment.rawValue)") }
    if let bundleID = filter.bundleID { conditions.append("bundleID = \(bundleID.rawValue)") }
    // CROSS: the payments first, in their order.
    return """
      SELECT payment.* FROM payment CROSS JOIN installation ON installation.installationID = payment.installationID
      WHERE \(literal: conditions.joined(separator: " AND ")) ORDER BY payment.decisionDate, payment.rowid
      """
  }

  /// A customer's subscriptions in all apps, in the order of their original transaction ids.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownCustomer(_:_:)``.
  func subscriptions(
    of account: AccountName, _ environment: StoreEnvironment, after key: [String]?, limit: Int
  ) throws -> ListPage<RenewalRecord> {
    _ = try work.customers.customer(account, environment)
    let rows = try SubscriptionRow.fetchAll(
      work.database,
      sql: """
        SELECT * FROM subscription WHERE account = ? AND environment = ? AND originalTransactionID > ?
        ORDER BY originalTransactionID LIMIT ?
        """,
      arguments: [account.rawValue, environment.rawValue, try Self.parts(of: key, 1)[0], limit + 1])
    return ListPage(rows, limit: limit) { [$0.originalTransactionID.rawValue] }.compactMap(RenewalRecord.init)
  }

  /// The history of a subscription, oldest step first.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownSubscription(_:)``.
  func history(
    of original: TransactionID, after key: [String]?, limit: Int
  ) throws -> ListPage<RenewalRecord.Step> {
    _ = try work.subscriptions.subscription(original)
    let sequence = try key.map { _ in
      guard let sequence = Int64(try Self.parts(of: key, 1)[0]) else { throw AppStoreEmulatorError.unknownPage }
      return sequence
    }
    let rows = try SubscriptionStepRow.fetchAll(
      work.database,
      sql: """
        SELECT * FROM subscriptionStep WHERE originalTransactionID = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """, arguments: [original.rawValue, sequence ?? 0, limit + 1])
    return ListPage(rows, limit: limit) { ["\($0.sequence ?? 0)"] }
      .compactMap { RenewalRecord.Step(step: $0.step, date: $0.date) }
  }

  /// Returns the parts of a key: empty texts, which are before all others, if it is nil.
  private static func parts(of key: [String]?, _ count: Int) throws(AppStoreEmulatorError) -> [String] {
    guard let key else { return Array(repeating: "", count: count) }
    guard key.count == count else { throw .unknownPage }
    return key
  }

  private func value(of query: String, _ key: [String]) throws -> Int64 {
    guard let number = try Int64.fetchOne(work.database, sql: query, arguments: StatementArguments(key)) else {
      throw AppStoreEmulatorError.unknownPage
    }
    return number
  }
}

extension RecordFilter {
  /// Whether a waiting payment has the filter's product, and contains the searched text.
  fileprivate func fits(_ approval: PendingApproval) -> Bool {
    let payment = approval.payment
    guard productID == nil || productID == payment.productID else { return false }
    guard let search = search?.lowercased() else { return true }
    let texts = [
      payment.productID.rawValue, payment.paymentID.rawValue, approval.account.rawValue,
      payment.applicationUsername ?? "",
    ]
    return texts.contains { $0.lowercased().contains(search) }
  }
}
