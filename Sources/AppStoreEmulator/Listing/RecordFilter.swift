import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Which lines of the books to list: of transactions, charges or refunds. What is nil is not asked for.
  public struct BookFilter: Hashable, Sendable {
    public var bundleID: BundleID?
    public var environment: StoreEnvironment?
    public var account: AccountName?
    public var productID: ProductID?
    /// What has become of the transaction that the line is about.
    public var state: TransactionState?
    /// Text that the transaction of the line has somewhere in its ids, its product's id, its customer's name, its
    /// application username or its app account token. Every character stands for itself; upper and lower case are alike.
    /// Also finds a purchase by the whole id of a transaction under which it was delivered once more.
    public var search: String?
    /// Only lines before the one of this number: the next page after it. A transaction's number is its `sequence`.
    public var before: Int64?
    /// At most this many, the newest; 1 to 1,000.
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
}

// All books have columns of the same names.
extension EmulatedAppStore.BookFilter {
  /// What every line says itself, and its number.
  func lines(numbered number: String) -> SQL {
    var conditions: [SQL] = []
    if let bundleID { conditions.append("bundleID = \(bundleID.rawValue)") }
    if let environment { conditions.append("environment = \(environment.rawValue)") }
    if let account { conditions.append("account = \(account.rawValue)") }
    if let productID { conditions.append("productID = \(productID.rawValue)") }
    if let before { conditions.append("\(sql: number) < \(before)") }
    return conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
  }

  /// What only the transaction says; nil if nothing of it is asked for.
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

  /// The numbers of the transactions that are meant, from the one index that has all that can be asked for, in order: the
  /// worst that can be asked is answered by walking through it once.
  var transactionSequences: SQL {
    """
    SELECT sequence FROM transactionRecord INDEXED BY transactionRecordListed
    WHERE \(literal: lines(numbered: "sequence")) AND \(literal: ofTransaction ?? "TRUE")
    """
  }

  /// The lines of another book that are meant.
  func lines(of book: String, numbered number: String) -> SQL {
    let own: SQL = "SELECT * FROM \(sql: book) WHERE \(literal: lines(numbered: number))"
    let ofTransaction = ofTransaction.map { condition -> SQL in
      """
       AND transactionID IN (
        SELECT transactionID FROM transactionRecord
        WHERE sequence IN (SELECT sequence FROM transactionRecord INDEXED BY transactionRecordListed WHERE \(literal: condition)))
      """
    }
    return own + (ofTransaction ?? "") + " ORDER BY \(sql: number) DESC LIMIT \(limit)"
  }
}
