/// A step of a purchase, as it happens on a phone. Documentation/pages.md, "The device", says where each is seen.
package enum PurchaseStep: String, Codable, Hashable, Sendable, CaseIterable {
  /// Buy was pressed.
  case button
  /// The payment is in the device's journal and in the queue; nothing was sent yet.
  case paymentAdded
  /// The sign-in sheet is shown.
  case signInShown
  /// The store accepted the account.
  case signedIn
  /// The store has said what the payment costs.
  case quoted
  /// The confirmation sheet is shown.
  case confirmationShown
  /// The customer confirmed that quote; it is being sent.
  case confirmed
  /// The customer said no, to the sign-in or to the confirmation. Nothing was charged.
  case cancelled
  /// The store has charged, or found that it was bought before, and answered.
  case charged
  /// The customer is told that it was bought before, and not charged.
  case boughtBefore
  /// Somebody else is asked for approval.
  case deferred
  /// The transaction and its receipt are verified and in the device's journal; the app is told.
  case journalled
  /// The store, or the device, refused. Nothing was charged.
  case failed
  /// The receipt goes to the developer's server.
  case receiptSent
  /// The developer's server has verified it with the store and put it into its books.
  case verified
  /// The developer's server did not accept it.
  case verificationRefused
  /// Files of the goods begin to come.
  case content
  /// All files are here, and their digests right.
  case saved
  /// The app has given the goods, durably.
  case granted
  /// The goods could not be given yet; the transaction stays, and comes again.
  case kept
  /// Nothing is owed for it; it is finished.
  case refused
  /// Something is brought back, as a transaction of its own.
  case restored
  /// The store knows that the transaction is finished.
  case finished
  /// The app waits between charge and grant, to be force-quit.
  case holding
  /// The app's process was killed.
  case forceQuit
  /// The app's process was started.
  case launched

  // What is done with the phone itself.

  /// Airplane mode was turned on.
  case networkLost
  /// Airplane mode was turned off.
  case networkBack
  /// Purchases were restricted.
  case restricted
  /// Purchases were allowed again.
  case allowed
  /// The app was removed with all it keeps.
  case appRemoved
  /// The app was installed anew.
  case appInstalled
  /// A backup was made.
  case backedUp
  /// A backup was brought back.
  case backupRestored
}
