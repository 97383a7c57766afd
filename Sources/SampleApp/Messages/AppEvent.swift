import PurchaseKit

/// An event in the sample app's process, reported to its parent.
package enum AppEvent: Codable, Hashable, Sendable {
  case buttons([String: String])
  /// The prices could not be fetched from the store.
  case pricesFailed(reason: String)
  /// The customer is asked to sign in. `account` is the customer's account.
  case signInSheet(account: String)
  /// The confirmation sheet is shown.
  case sheet(title: String, quantity: Int, unitPrice: String, total: String)
  /// StoreKit shows the customer that the product was bought before.
  case boughtBefore(title: String)
  /// StoreKit shows the customer that the subscription changes to another plan later.
  case planChangeScheduled(title: String)
  /// StoreKit shows the customer that purchases are restricted.
  case paymentsNotAllowed
  /// The App Store shows the customer a message. The reason is a `StoreMessage`.
  case message(reason: Int)
  /// The balance is nil while the credits are frozen.
  case succeeded(product: String, transaction: String, balance: Int?)
  case failed(product: String, domain: String, code: Int, isCancellation: Bool, alert: String?)
  case deferred(product: String)
  /// The app requests these products from the store.
  case askedStore(products: [String])
  /// The title of each product's button on a screen. Sent when it may have changed.
  case screen([String: String])
  /// The number of transactions in the queue.
  case queue(Int)
  case kept(product: String, reason: String)
  /// The purchase grants nothing, for example because it was refunded. The transaction is finished.
  case refused(product: String, reason: String)
  case balance(Int)
  /// The number of credits on the server, or the outcome of a spend, is not known because the server could not be reached.
  case balanceUnknown(reason: String)
  case creditsFrozen(reason: String)
  /// The credits that are lost if frozen credits are discarded, or if the app is deleted. Nil if the server stores them.
  case creditsAtRisk(CreditLoss?)
  /// The titles of the filters' buttons, the matrix of the applied filter, and the screen's alert.
  case filters([String: String], colorMatrix: [Double]?, alert: String?)
  /// The titles of the books' buttons, and the screen's alert.
  case books([String: String], alert: String?)
  /// A book is open. The digest is the SHA-256 of all its files, one after the other.
  case opened(product: String, version: Int64, digest: String)
  case notOpened(reason: String)
  /// The number of pages on the server.
  case pages(Int)
  case pagesRefused(reason: String, balance: Int)
  /// The number of pages, or the outcome of a spend, is not known because the server could not be reached.
  case pagesUnknown(reason: String)
  /// The number of spends that were pending when the app ended, and that the server has recorded.
  case spendsSettled(spent: Int)
  case restoreEnded(message: String)
  case revoked(products: [String])
  /// A problem that the app found, such as a vault that was changed outside the app, or a receipt that cannot be read.
  case finding(String)
  case exported(key: String)
  /// A backup was imported. `refused` is the reason why its products were refused; nil if they were imported.
  case imported(products: [String], credits: BackupImport.Credits, refused: String?)
  case importRefused(reason: String)
  case spendRefused(reason: String, balance: Int)
  case receipt(path: String?, deviceID: String)
  /// The store has acknowledged that the transaction is finished.
  case finishAcknowledged(transaction: String)
  /// The store returned the unfinished transactions, requested by the command with this number.
  case unfinished(request: Int, delivered: Int, inQueue: Int)
  /// The request for the unfinished transactions with this number has failed. Sent with StoreKit 2 only: the queue of
  /// StoreKit 1 repeats the request.
  case unfinishedFailed(request: Int, reason: String)
  /// The process has reached the point where it stops, and waits to be killed.
  case holding(HoldPoint)
  /// A step of a purchase. Sent only if a person uses the app.
  case step(StepReport)
  /// The content of the app's pages may have changed.
  case pageChanged
  /// Another sheet, question or alert is shown; nil if none is shown any more. Sent only if a person uses the app.
  case prompt(AppPrompt?)
  /// The app's pages can be requested.
  case ready
  /// The account that is signed in to the store on the phone; nil for no account.
  case account(String?)
  /// The store refused to sign the customer in or out.
  case accountUnchanged(reason: String)
  /// A command failed.
  case commandFailed(reason: String)
}

/// A sheet, a question or an alert over the app's screen. It waits for the customer's answer.
package struct AppPrompt: Codable, Hashable, Sendable {
  package enum Kind: String, Codable, Hashable, Sendable {
    /// A sheet of StoreKit.
    case sheet
    /// A question of the app.
    case question
    /// A message of the app.
    case alert
  }

  package let kind: Kind
  /// The title of a sheet or a question, or the text of an alert.
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}
