import ControlAPI
import ProgramSupport

/// Collects the pages of a transaction list, either as values for a table or as one JSON document.
struct TransactionPages {
  let isJSON: Bool
  private(set) var transactions: [TransactionView] = []
  private var documents: [JSONValue] = []
  /// The page that was added last; nil before the first.
  private(set) var last: TransactionListView?

  init(isJSON: Bool) { self.isJSON = isJSON }

  /// The number of transactions so far.
  var count: Int { isJSON ? documents.count : transactions.count }

  /// - Throws: ``CommandFailure`` if the answer is not a list in JSON.
  mutating func add(_ answer: ControlAPIClient.Answer<TransactionListView>) throws {
    last = answer.value
    guard isJSON else { return transactions += answer.value.transactions }
    guard case .array(let page)? = JSONValue(parsing: answer.document)?["transactions"] else {
      throw CommandFailure.refused("The store's response is not JSON.")
    }
    documents += page
  }

  /// One document with the transactions of all pages. It has the same members as the document of a single page.
  var document: JSONValue {
    .members([
      "transactions": .array(documents), "total": .integer(last?.total ?? count),
      "next": last?.next.map { JSONValue.integer($0) },
    ])
  }
}
