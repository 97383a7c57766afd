import GRDB
import StoreModel

/// Selects transactions, charges or refunds. A nil property matches all rows.
public struct RecordFilter: Hashable, Sendable {
  public var bundleID: BundleID?
  public var environment: StoreEnvironment?
  public var account: AccountName?
  public var productID: ProductID?
  /// The state of the row's transaction.
  public var state: TransactionState?
  /// Text that must be contained in the transaction's ids, product id, customer name, application username or app
  /// account token.
  ///
  /// It has no wildcards, and ignores case. The complete id of a redelivery matches the transaction that was
  /// redelivered.
  public var search: String?
  /// Selects only rows whose number is smaller than this, for example to get the next page. A transaction's number is
  /// its `sequence`.
  public var before: Int64?
  /// The maximum number of rows, newest first; 1 to 1,000.
  public var limit: Int

  public init(
    bundleID: BundleID? = nil, environment: StoreEnvironment? = nil, account: AccountName? = nil,
    productID: ProductID? = nil, state: TransactionState? = nil, search: String? = nil, before: Int64? = nil,
    limit: Int = 1_000
  ) {
    self.bundleID = bundleID
    self.environment = environment
    self.account = account
    self.productID = productID
    self.state = state
    self.search = search
    self.before = before
    self.limit = min(max(limit, 1), 1_000)
  }
}

// The tables of transactions, charges and refunds have columns of the same names.
extension RecordFilter {
  /// The SQL conditions on the row itself.
  func conditions(numbered number: String) -> SQL {
    var conditions: [SQL] = []
    if let bundleID { conditions.append("bundleID = \(bundleID.rawValue)") }
    if let environment { conditions.append("environment = \(environment.rawValue)") }
    if let account { conditions.append("account = \(account.rawValue)") }
    if let productID { conditions.append("productID = \(productID.rawValue)") }
    if let before { conditions.append("\(sql: number) < \(before)") }
    return conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
  }

  /// The SQL conditions on the row's transaction; nil if there are none.
  var ofTransaction: SQL? {
    var conditions: [SQL] = []
    switch state {
    case .unfinished: conditions.append("revocationDate IS NULL AND finishedDate IS NULL")
    case .finished: conditions.append("revocationDate IS NULL AND finishedDate IS NOT NULL")
    case .refunded: conditions.append("revocationDate IS NOT NULL")
    case nil: break
    }
    if let search, !search.isEmpty {
      conditions.append(
        """
        (instr(searchText, \(SearchText.folded(search))) > 0
          OR sequence = (SELECT record.sequence FROM redelivery JOIN transactionRecord AS record
            ON record.transactionID = redelivery.recordID WHERE redelivery.transactionID = \(search)))
        """)
    }
    return conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
  }

  /// Selects the sequence numbers of the transactions, in order, from the index that has all columns of the filter.
  /// Even the slowest filter scans only that index, once.
  var transactionSequences: SQL {
    """
    SELECT sequence FROM transactionRecord INDEXED BY transactionRecordListed
    WHERE \(literal: conditions(numbered: "sequence")) AND \(literal: ofTransaction ?? "TRUE")
    """
  }

  /// Selects rows of the table of charges or of refunds, newest first: one more than ``limit``, which shows whether
  /// there is another page. The result's column `recordNumber` has each row's number. The number of a page's last row is
  /// ``before`` for the next page.
  func rows(of table: String, numbered number: String) -> SQL {
    """
    SELECT *, \(sql: number) AS recordNumber FROM \(sql: table) WHERE \(literal: rowConditions(numbered: number))
    ORDER BY \(sql: number) DESC LIMIT \(limit + 1)
    """
  }

  /// The SQL conditions on a row of the table of charges or of refunds, and on its transaction.
  func rowConditions(numbered number: String) -> SQL {
    let own = conditions(numbered: number)
    guard let ofTransaction else { return own }
    return """
      \(literal: own) AND transactionID IN (
        SELECT transactionID FROM transactionRecord WHERE sequence IN (
          SELECT sequence FROM transactionRecord INDEXED BY transactionRecordListed WHERE \(literal: ofTransaction)))
      """
  }
}
