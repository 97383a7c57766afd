import Foundation
import PurchaseKit
import StoreModel

/// An action in the sample app: a button that a person presses, or a line of the demo's script.
///
/// `RunningApp.perform(_:)` carries it out. The app's pages make a command from each form; the script writes commands
/// as JSON to the app's standard input.
package enum AppCommand: Codable, Hashable, Sendable {
  /// Report the titles of the screen's buttons, after the prices are fetched.
  case showPrices
  /// Buy a product with its screen's button. `confirms` is the script's answer to the confirmation sheet.
  case buy(product: String, quantity: Int, confirms: Bool)
  /// Add a payment, even if the screen's button is disabled.
  case addAnyway(product: String)
  /// Return to the foreground: let the screen appear again, and ask the purchase server for changes.
  case appear
  case goOffline(Bool)
  /// Restrict purchases on this phone, or allow them again.
  case restrict(Bool)
  case showQueue
  /// Report when the queue is empty. This command must not be sent more than once per launch.
  case waitForEmptyQueue
  /// Spend credits. Commands with the same key spend only once.
  case spend(Int, key: UUID)
  case showBalance
  /// Report the titles of the photo filters' buttons, and the applied filter.
  case showFilters
  case apply(product: String)
  case clearFilter
  /// Restore purchases with the button of this screen: the books' or the filters'.
  case restore(on: AppScreen)
  /// Report the titles of the books' buttons.
  case showBooks
  /// Request the list of books from the server, and then report the titles of their buttons.
  case refreshBooks
  /// Download a book that the customer owns.
  case download(product: String)
  /// Pause a book's download. The downloaded parts are kept.
  case pauseDownload(product: String)
  case openBook(product: String)
  case closeBook
  /// Open a book, and report the digest of all its files.
  case readBook(product: String)
  /// Request the number of pages from the server.
  case showPages
  /// Spend pages. Commands with the same key spend only once.
  case spendPages(Int, key: UUID)
  case exportBackup(path: String)
  /// Import a backup. `accepting` is the loss of credits to which the customer has agreed; nil at first.
  case importBackup(path: String, key: String, accepting: CreditLoss? = nil)
  /// Discard the frozen credits, and start with a balance of zero. `accepting` is the loss to which the customer has
  /// agreed. If it is nil, the loss is reported, and the customer is asked.
  case discardFrozenCredits(accepting: CreditLoss? = nil)
  /// The same for frozen pages.
  case discardFrozenPages(accepting: CreditLoss? = nil)
  /// Report the path of the receipt, and the device's identifier.
  case showReceipt
  /// Request the unfinished transactions from the store again. The caller numbers these commands in increasing order.
  case requestUnfinished(Int)
  /// Stop at this point, so that the app can be killed there. Nil cancels an earlier command.
  case hold(HoldPoint?)
  /// Turn a subscription's automatic renewal on or off.
  case setAutoRenew(TransactionID, isOn: Bool)
  case answerPriceIncrease(TransactionID, isAgreed: Bool)
  /// Buy a subscription again with a win-back offer.
  case comeBack(product: String, offer: String)
  case redeem(code: String)
  /// Request the refund of a purchase. The store's sheet asks for the reason.
  case requestRefund(TransactionID)
  case signIn(account: String, password: String?)
  case signOut

  /// Whether the command waits for the store, the server or a file. Later commands do not wait until it has ended.
  package var takesTime: Bool {
    switch self {
    case .signIn, .signOut, .exportBackup, .importBackup, .refreshBooks, .download, .openBook, .readBook,
      .setAutoRenew, .answerPriceIncrease, .comeBack, .redeem,
      .requestRefund:
      true
    default: false
    }
  }
}

/// Thrown when the app cannot carry out a command.
package enum AppCommandError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownProduct(String)
  /// The command needs a purchase server, and this app has none.
  case noServer

  package var description: String {
    switch self {
    case .unknownProduct: "The app does not sell this product."
    case .noServer: "This app has no purchase server."
    }
  }
}

/// A point at which the process can wait, so that it is killed exactly there.
package enum HoldPoint: String, Codable, Hashable, Sendable, CaseIterable {
  /// The store has charged and answered; the app has not received the answer.
  case charged
  /// The app has granted the credits; it has not finished the transaction.
  case granted
}
