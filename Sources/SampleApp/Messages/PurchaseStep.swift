/// A step of a purchase on a phone. Documentation/pages.md, "The device", describes where each step is shown.
package enum PurchaseStep: String, Codable, Hashable, Sendable, CaseIterable {
  /// Buy was pressed.
  case button
  /// The payment is in the device's journal and in the queue; it was not sent yet.
  case paymentAdded
  /// The sign-in sheet is shown.
  case signInShown
  /// The store refused the account or its password.
  case signInRefused
  /// The store accepted the account.
  case signedIn
  /// The store returned the price of the payment.
  case quoted
  /// The confirmation sheet is shown.
  case confirmationShown
  /// The customer confirmed the payment at the quoted price. It is sent next.
  case confirmed
  /// The customer cancelled the sign-in or the confirmation. Nothing was charged.
  case cancelled
  /// The store has charged the payment.
  case charged
  /// The store has recorded a purchase that costs nothing, such as one with a free trial.
  case free
  /// The store has signed a purchase again instead of charging the payment: the product was bought before, or the
  /// confirmed plan begins later.
  case redelivered
  /// StoreKit shows the customer that the product was bought before and is not charged.
  case boughtBefore
  /// StoreKit shows the customer that the subscription changes to the confirmed plan later.
  case planChangeScheduled
  /// The payment waits for approval, such as a parent's.
  case deferred
  /// The transaction and its receipt are verified and in the device's journal. The queue delivers the transaction to
  /// the app.
  case journalled
  /// The store or the device refused the payment. Nothing was charged.
  case failed
  /// The proof of the purchase is sent to the developer's server.
  case proofSent
  /// The developer's server has verified the proof with the store, and recorded the purchase.
  case verified
  /// The developer's server refused the proof.
  case verificationRefused
  /// The first bytes of a content file arrive.
  case content
  /// All files are downloaded, and their digests are correct.
  case saved
  /// The app has granted the product, durably.
  case granted
  /// The product could not be granted yet. The transaction stays in the queue and is delivered again.
  case kept
  /// The purchase grants nothing, for example because it was refunded. The transaction is finished.
  case refused
  /// A purchase was restored, as a transaction of its own.
  case restored
  /// The customer has spent credits.
  case spent
  /// The store has acknowledged that the transaction is finished.
  case finished
  /// The store did not answer a request of the payment or of its transaction, or is temporarily unavailable. StoreKit
  /// repeats the request.
  case storeUnreachable
  /// The store notified StoreKit that the customer no longer owns the product: it was refunded, or is no longer shared by
  /// the family.
  case revoked
  /// StoreKit notified the app of the revocation.
  case revocationDelivered
  /// The app has locked the revoked product, durably.
  case locked
  /// The App Store shows the customer a message about a subscription.
  case message
  /// The customer requests a refund.
  case refundRequested
  /// The app waits between charge and grant, so that it can be force-quit there.
  case holding
  /// The app's process was killed.
  case forceQuit
  /// The app's process was started.
  case launched

  // Actions on the phone itself.

  /// Airplane mode was turned on.
  case networkLost
  /// Airplane mode was turned off.
  case networkBack
  /// Purchases were restricted.
  case restricted
  /// Purchases were allowed again.
  case allowed
  /// The app was deleted with all its data.
  case appRemoved
  /// The app was installed again.
  case appInstalled
  /// A backup was made.
  case backedUp
  /// A backup was restored.
  case backupRestored
}

/// A step of a purchase, and its details.
package struct StepReport: Codable, Hashable, Sendable {
  package let step: PurchaseStep
  /// The product; nil if the step does not concern a product.
  package var product: String?
  /// The store's transaction identifier; nil if there is none yet.
  package var transaction: String?
  /// Further text for a person: a total, an account, or the reason of a failure.
  package var detail: String?

  package init(_ step: PurchaseStep, product: String? = nil, transaction: String? = nil, detail: String? = nil) {
    self.step = step
    self.product = product
    self.transaction = transaction
    self.detail = detail
  }
}
