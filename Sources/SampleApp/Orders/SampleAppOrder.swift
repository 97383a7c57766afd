import Foundation

/// A command to the sample app's process.
package enum SampleAppOrder: Codable, Sendable {
  /// Report the titles of the screen's buttons, after the prices are fetched.
  case showPrices
  case buy(product: String, quantity: Int, confirms: Bool)
  /// Add a payment, even if the screen's button is disabled.
  case addAnyway(product: String)
  /// Let the screen appear again.
  case appear
  case goOffline(Bool)
  /// Restrict purchases on this phone, or allow them again.
  case restrict(Bool)
  case showQueue
  /// Report when the queue is empty. At most once per launch.
  case waitForEmptyQueue
  case spend(Int)
  case showBalance
  /// Report the titles of the photo filters' buttons, and the applied filter.
  case showFilters
  case apply(product: String)
  case clearFilter
  case restore
  /// Report the titles of the books' buttons.
  case showBooks
  /// Request the list of books from the server, and then report the titles of their buttons.
  case refreshBooks
  /// Download a book that the customer owns.
  case download(product: String)
  /// Open a book, and read all of it.
  case openBook(product: String)
  /// Request the number of pages from the server.
  case showPages
  /// Spend pages. The same key spends once.
  case spendPages(Int, key: UUID)
  case exportBackup(path: String)
  case importBackup(path: String, key: String)
  case startCreditsAnew
  /// Report the path of the receipt, and the device's identifier.
  case showReceipt
  /// Request the unfinished transactions from the store again. The caller numbers these commands in increasing order.
  case askForUnfinished(Int)
  /// Stop at this point, to be killed there; nil for none.
  case hold(HoldPoint?)
  case signIn(account: String, password: String?)
  case signOut

  /// Whether the command waits for the store or for a file.
  package var takesTime: Bool {
    switch self {
    case .signIn, .signOut, .exportBackup, .importBackup: true
    default: false
    }
  }
}
