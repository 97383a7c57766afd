import APIDescription
import AppStoreEmulator
import StoreModel

/// A page of the list of transactions.
package struct TransactionListView: APIObject {
  package let transactions: [TransactionView]
  package let next: Int64?
  package let total: Int?

  package static let notes: [String: MemberNote] = [
    "next": .nextPage,
    "total": "The number of transactions on all pages, if the query asks for it.",
  ]

  package init(_ page: TransactionPage, total: Int?) {
    transactions = page.transactions.map(TransactionView.init)
    next = page.next
    self.total = total
  }
}
