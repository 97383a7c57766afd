import SignedData
import StoreModel

/// An element of a buffer. A later element with the same key replaces the earlier one, and keeps its place.
protocol BufferedUpdate: Sendable {
  associatedtype Key: Hashable & Sendable
  var key: Key { get }
}

/// An element of `Transaction.updates`.
enum TransactionUpdate: BufferedUpdate {
  /// A verified transaction that was stored. The iterator reads its newest content from the journal.
  case stored(TransactionID)
  /// A transaction that was not verified, and so was not stored, as a compact JWS.
  case unverified(jws: String, VerificationFailure)

  enum Key: Hashable, Sendable {
    case stored(TransactionID)
    case unverified(jws: String)
  }

  var key: Key {
    switch self {
    case .stored(let id): .stored(id)
    case .unverified(let jws, _): .unverified(jws: jws)
    }
  }
}

/// An element of `Status.updates`: a subscription whose status has changed.
struct StatusUpdate: BufferedUpdate {
  let originalTransactionID: TransactionID
  var key: TransactionID { originalTransactionID }
}

/// An element of `Storefront.updates`. All elements have the same key, so that a buffer keeps only the newest.
struct StorefrontUpdate: BufferedUpdate {
  let storefront: Territory

  enum Key: Hashable, Sendable { case storefront }
  var key: Key { .storefront }
}

/// An element of `Message.messages`.
struct MessageUpdate: Hashable, BufferedUpdate {
  let message: StoreMessage
  /// The subscription that the message is about.
  let originalTransactionID: TransactionID
  var key: MessageUpdate { self }
}

/// An element of `PurchaseIntent.intents`: a purchase that the customer began in the App Store.
struct IntentUpdate: Hashable, BufferedUpdate {
  let productID: ProductID
  /// The win-back offer of the purchase; nil for none.
  let offer: PaymentOffer?
  var key: IntentUpdate { self }
}
