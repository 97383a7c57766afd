import StoreModel

/// What the ledger stores about a customer, up to ``rows`` rows of each list, for a page that an operator reads.
/// ``CustomerExport`` has everything.
public struct CustomerSummary: Codable, Sendable {
  public let customer: CustomerID
  /// Issuer and name in the operator's identity system; nil for an anonymous customer.
  public let subject: String?
  public let created: StoreDate
  /// The date by the store's clock when the rows were read. Access that has ended by then has expired.
  public let date: StoreDate
  public let formerIds: [CustomerID]
  public fileprivate(set) var installations: [CustomerExport.Installation]
  public fileprivate(set) var purchases: [CustomerExport.Purchase]
  public fileprivate(set) var periods: [CustomerExport.Period]
  public fileprivate(set) var transfers: [CustomerExport.Transfer]
  public fileprivate(set) var entitlements: [CustomerExport.OwnedProduct]
  /// What the customer has under each name of an entitlement, by app and name. It is about all entitlements, also about those that are
  /// not among the rows.
  public let named: [Named]
  public fileprivate(set) var deliveries: [CustomerExport.Delivery]
  public let accounts: [CustomerExport.Account]
  public fileprivate(set) var proofs: [Proof]
  /// What the customer has consented to, in each app.
  public let consents: [CustomerExport.Consent]
  public fileprivate(set) var operatorActions: [CustomerExport.OperatorAction]
  /// The names of the lists that have more rows, or of which not all pages were read.
  public fileprivate(set) var cut: [String]

  /// What the customer has in an app under a name.
  public struct Named: Codable, Sendable {
    public let app: BundleID
    public let entitlement: NamedEntitlement
  }

  /// A stored proof, without its data.
  public struct Proof: Codable, Sendable {
    public let app: BundleID
    public let environment: StoreEnvironment
    public let digest: String
    public let kind: String
    public let stated: StoreDate
    /// The date at which the store is asked about it again.
    public let due: StoreDate
  }

  /// The lists of an export that a summary does not have: movements have pages of each account, and requests have pages of each app.
  static let leftOut: Set<String> = ["movements", "consumptionRequests"]
  /// The maximum number of rows of a list.
  public static let rows = ExportedList.pageSize
  /// The maximum number of pages that are read for a list. A page of periods can be empty: it is about at most 50 purchases, of
  /// any type.
  static let mostPages = 20
}

extension Ledger {
  /// Returns a summary of a customer. If the customer was joined to another one, it is the other customer's.
  ///
  /// - Parameter order: with `oldest`, each list begins as that of an export. With `newest`, its rows are by date, the last one
  ///   first. Then purchases, devices and operators' changes are the newest ones if there are more than ``CustomerSummary/rows``.
  ///   Periods are the newest ones of the subscriptions among the entitlements. Entitlements, deliveries, transfers and proofs are
  ///   the same rows as with `oldest`, because they have no index by date.
  /// - Throws: ``LedgerError/unknownCustomer(_:)``.
  public func summary(of customer: CustomerID, _ order: ListOrder = .oldest) async throws -> CustomerSummary {
    let date = now
    return try await readAccess { transaction in
      let customer = try transaction.status(of: customer)?.joinedTo ?? customer
      let known = try transaction.row(
        "SELECT subject, created FROM customer WHERE id = $1 AND erased IS NULL", customer)
      guard let known else { throw LedgerError.unknownCustomer(customer) }
      try transaction.expectScheduledPasses(of: customer)
      var lists: [String: [any Encodable & Sendable]] = [:]
      var cut: [String] = []
      for list in CustomerExport.lists
      where !CustomerSummary.leftOut.contains(list.name)
        && (order == .oldest || !NewestRows.names.contains(list.name))
      {
        let (elements, isCut) = try list.beginning(transaction, customer)
        lists[list.name, default: []] += elements
        if isCut, !cut.contains(list.name) { cut.append(list.name) }
      }
      func rows<Element>(_ name: String) -> [Element] {
        (lists[name] ?? []).compactMap { $0 as? Element }
      }
      var proofs = try transaction.rows(
        """
        SELECT app, environment, digest, kind, stated, due FROM stored_proof
        WHERE customer = $1 ORDER BY app, environment, digest LIMIT $2
        """, customer, CustomerSummary.rows + 1
      ).map { row in
        CustomerSummary.Proof(
          app: try row.identifier("app"), environment: try row.value("environment"),
          digest: try row.text("digest"),
          kind: try row.text("kind"), stated: try row.date("stated"), due: try row.date("due"))
      }
      if proofs.count > CustomerSummary.rows {
        proofs.removeLast()
        cut.append("proofs")
      }
      let named = try transaction.named(of: customer, at: date)
      if named.count > CustomerSummary.rows { cut.append("named") }
      var summary = CustomerSummary(
        customer: customer, subject: try known.optionalText("subject"), created: try known.date("created"), date: date,
        formerIds: rows("formerIds"), installations: rows("installations"), purchases: rows("purchases"),
        periods: rows("periods"), transfers: rows("transfers"), entitlements: rows("entitlements"),
        named: Array(named.prefix(CustomerSummary.rows)), deliveries: rows("deliveries"), accounts: rows("accounts"),
        proofs: proofs, consents: rows("consents"), operatorActions: rows("operatorActions"), cut: cut)
      if order == .newest { try NewestRows(transaction, customer).replace(in: &summary) }
      return summary
    }
  }
}

extension LedgerTransaction {
  /// Returns what a customer has in each app under each name.
  fileprivate func named(of customer: CustomerID, at date: StoreDate) throws -> [CustomerSummary.Named] {
    let apps = Dictionary(grouping: try namedProducts(of: customer, at: date), by: \.app)
    return apps.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { app, products in
      NamedEntitlement.all(products).map { CustomerSummary.Named(app: app, entitlement: $0) }
    }
  }
}

/// Reads the newest rows of a customer's lists.
private struct NewestRows {
  /// The lists that are read by date.
  static let names: Set<String> = ["installations", "purchases", "periods", "operatorActions"]

  private let transaction: LedgerTransaction
  private let customer: CustomerID
  /// One more than a list has, which shows whether there are more rows.
  private let limit = CustomerSummary.rows + 1

  init(_ transaction: LedgerTransaction, _ customer: CustomerID) {
    (self.transaction, self.customer) = (transaction, customer)
  }

  func replace(in summary: inout CustomerSummary) throws {
    func newest<Element>(_ name: String, _ elements: [Element], _ date: (Element) -> StoreDate) -> [Element] {
      if elements.count > CustomerSummary.rows, !summary.cut.contains(name) { summary.cut.append(name) }
      return Array(elements.sorted { date($1) < date($0) }.prefix(CustomerSummary.rows))
    }
    summary.transfers = newest("transfers", summary.transfers, \.date)
    summary.deliveries = newest("deliveries", summary.deliveries, \.begun)
    summary.proofs = newest("proofs", summary.proofs, \.stated)
    summary.installations = newest("installations", try installations(), \.issued)
    summary.purchases = newest("purchases", try purchases(), \.claimed)
    // Periods of a subscription whose entitlement is not among the rows are missing, too.
    if summary.cut.contains("entitlements") { summary.cut.append("periods") }
    summary.periods = newest("periods", try periods(of: summary.entitlements), \.purchased)
    summary.entitlements = newest("entitlements", summary.entitlements, \.entitlement.begun)
    summary.operatorActions = newest(
      "operatorActions", try actions(about: [summary.customer] + summary.formerIds), \.date)
    if summary.cut.contains("formerIds"), !summary.cut.contains("operatorActions") {
      summary.cut.append("operatorActions")
    }
  }

  private func installations() throws -> [CustomerExport.Installation] {
    try transaction.rows(
      "\(CustomerExport.installationRows) WHERE customer = $1 ORDER BY issued DESC, hash DESC LIMIT $2", customer, limit
    ).map(CustomerExport.Installation.init)
  }

  /// The index of a customer's claims has the app before the date, so each app's newest ones are read.
  private func purchases() throws -> [CustomerExport.Purchase] {
    var purchases: [CustomerExport.Purchase] = []
    var last = ""
    while let row = try transaction.row(
      "SELECT app FROM claim WHERE customer = $1 AND app > $2 ORDER BY app LIMIT 1", customer, last)
    {
      last = try row.text("app")
      purchases += try transaction.rows(
        """
        \(CustomerExport.purchaseRows)
        WHERE c.customer = $1 AND c.app = $2 ORDER BY c.claimed DESC, c.environment DESC, c.id DESC LIMIT $3
        """, customer, last, limit
      ).map(CustomerExport.Purchase.init)
    }
    return purchases
  }

  /// The periods of the subscriptions that give these entitlements. A customer can have many more purchases of consumables, which
  /// give none.
  ///
  /// Longer transaction ids are newer. All ids of a subscription are read, in the index of its claim.
  private func periods(of entitlements: [CustomerExport.OwnedProduct]) throws -> [CustomerExport.Period] {
    try entitlements.filter { $0.entitlement.accessUntil != nil }.flatMap { owned -> [CustomerExport.Period] in
      let claim = try transaction.row(
        """
        SELECT environment FROM claim
        WHERE app = $1 AND environment IN ('Production', 'Sandbox', 'Xcode') AND id = $2 AND (customer = $3) IS TRUE
        """, owned.app, owned.entitlement.source, customer)
      guard let claim else { return [] }
      let ids = """
        SELECT id FROM claim_period WHERE app = $1 AND environment = $2 AND claim = $3
        ORDER BY length(id) DESC, id DESC LIMIT $4
        """
      return try transaction.rows(
        CustomerExport.periodRows(of: ids), owned.app, try claim.text("environment"), owned.entitlement.source, limit
      ).map(CustomerExport.Period.init)
    }
  }

  /// The operators' changes of each id. As in an export, `subject = $1` would make PostgreSQL read all entries by date.
  private func actions(about ids: [CustomerID]) throws -> [CustomerExport.OperatorAction] {
    try ids.flatMap { id in
      try transaction.rows(
        """
        \(CustomerExport.actionRows)
        WHERE subject >= $1 AND (subject, date, id) < ($1, $2, '')
        ORDER BY subject DESC, date DESC, id DESC LIMIT $3
        """, id, StoreDate(millisecondsSince1970: .max), limit
      ).map(CustomerExport.OperatorAction.init)
    }
  }
}

extension ExportedList {
  /// The first rows of the list, and whether it has more.
  fileprivate func beginning(
    _ transaction: LedgerTransaction, _ customer: CustomerID
  ) throws -> (elements: [any Encodable & Sendable], isCut: Bool) {
    var elements: [any Encodable & Sendable] = []
    var next: Cursor? = first
    for _ in 0..<CustomerSummary.mostPages {
      guard let position = next, elements.count <= CustomerSummary.rows else { break }
      let page = try read(transaction, customer, position)
      elements += page.elements
      next = page.next
    }
    return (Array(elements.prefix(CustomerSummary.rows)), next != nil || elements.count > CustomerSummary.rows)
  }
}
