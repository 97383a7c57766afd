import Foundation

/// What the app is told to do.
package enum SampleAppOrder: Codable, Sendable {
  /// Show the screen's buttons, once the prices are there.
  case showPrices
  case buy(product: String, quantity: Int, confirms: Bool)
  /// Add a payment, whatever the screen's button says.
  case addAnyway(product: String)
  /// The screen appears once more.
  case appear
  case goOffline(Bool)
  /// Restrict purchases on this phone, or allow them again.
  case restrict(Bool)
  case showQueue
  /// Say when there is no transaction left in the queue; to be given once in a launch.
  case waitForEmptyQueue
  case spend(Int)
  case showBalance
  /// What the buttons of the photo filters read, and which filter is on.
  case showFilters
  case apply(product: String)
  case clearFilter
  case restore
  /// What the buttons of the books read.
  case showBooks
  /// Ask the server which books there are, and show what their buttons read then.
  case refreshBooks
  /// Fetch a book that is owned.
  case download(product: String)
  /// Open a book, and read all of it.
  case openBook(product: String)
  /// Ask the server how many pages there are.
  case showPages
  /// The same key is the same spend.
  case spendPages(Int, key: UUID)
  case exportBackup(path: String)
  case importBackup(path: String, key: String)
  case startCreditsAnew
  /// Where the app finds its receipt, and which device it is on.
  case showReceipt
  /// Ask the store once more what is unfinished. Orders are numbered by whoever gives them, each higher than before.
  case askForUnfinished(Int)
  /// Wait at this point, to be killed there; nil for nowhere.
  case hold(HoldPoint?)
  case signIn(account: String, password: String?)
  case signOut

  /// Whether it waits for the store, or for a file.
  package var takesTime: Bool {
    switch self {
    case .signIn, .signOut, .exportBackup, .importBackup: true
    default: false
    }
  }
}
