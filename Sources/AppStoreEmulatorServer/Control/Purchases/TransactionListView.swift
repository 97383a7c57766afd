import AppStoreEmulator
import StoreModel

/// A part of the list of transactions.
struct TransactionListView: Encodable, Sendable {
  let transactions: [TransactionView]
  /// What to ask for as `before` to get the page after this one.
  let next: Int64?
  /// How many there are on all pages, where that was asked for.
  let total: Int?

  init(_ page: TransactionPage, total: Int?) {
    transactions = page.transactions.map(TransactionView.init)
    next = page.next
    self.total = total
  }
}
