import PurchaseKit

/// What happened in the app.
package enum SampleAppEvent: Codable, Hashable, Sendable {
  case buttons([String: String])
  /// There is no button to show: the store did not answer.
  case pricesFailed(reason: String)
  /// The customer is asked to sign in, and does, with this account.
  case signInSheet(account: String)
  /// The sheet the customer is asked to confirm.
  case sheet(title: String, quantity: Int, unitPrice: String, total: String)
  /// The customer is told that it was bought before.
  case boughtBefore(title: String)
  /// StoreKit shows the customer that purchases are restricted.
  case paymentsNotAllowed
  /// The balance is nil while the credits are frozen.
  case succeeded(product: String, transaction: String, balance: Int?)
  case failed(product: String, domain: String, code: Int, isCancellation: Bool, alert: String?)
  case deferred(product: String)
  /// The store is being asked about these products.
  case askedStore(products: [String])
  /// What the button of each product of a screen reads, told when it may have changed.
  case screen([String: String])
  /// How many transactions are in the queue.
  case queue(Int)
  case kept(product: String, reason: String)
  /// Nothing is owed for it, and it is finished.
  case refused(product: String, reason: String)
  case balance(Int)
  case creditsFrozen(reason: String)
  /// What the filters' buttons read, the filter the photograph is seen through, and the screen's message.
  case filters([String: String], colorMatrix: [Double]?, alert: String?)
  /// What the books' buttons read, and the screen's message.
  case books([String: String], alert: String?)
  /// A book is open: its version, and the SHA-256 of all its files, one after the other.
  case opened(product: String, version: Int64, digest: String)
  case notOpened(reason: String)
  /// How many pages the server says there are.
  case pages(Int)
  case pagesRefused(reason: String, balance: Int)
  /// The server did not answer.
  case pagesUnknown(reason: String)
  /// Of the spends that were open when the app ended, so many were made.
  case pagesSettled(spent: Int)
  case restoreEnded(message: String)
  case revoked(products: [String])
  /// The vault was not as the app left it, or cannot be repaired yet.
  case finding(String)
  case exported(key: String)
  /// What was brought back of products, or why none were, and what became of the credits.
  case imported(products: [String], credits: BackupImport.Credits, refused: String?)
  case importRefused(reason: String)
  case spendRefused(reason: String, balance: Int)
  case receipt(path: String?, deviceID: String)
  /// The store knows that the transaction is finished.
  case finishAcknowledged(transaction: String)
  /// The store has said what is unfinished, asked after the order of this number was carried out.
  case unfinished(order: Int, delivered: Int, inQueue: Int)
  /// The process has come to the point where it was told to wait, and waits for ever.
  case holding(HoldPoint)
  /// A step of a purchase, where a person uses the app.
  case step(StepReport)
  /// Something on the app's pages may have changed.
  case pageChanged
  /// The app's pages can be asked for.
  case ready
  /// Who is signed in to the store on the phone; nil for nobody.
  case account(String?)
  /// The store did not sign somebody in or out.
  case accountUnchanged(reason: String)
  /// An order could not be carried out.
  case orderFailed(reason: String)
}
