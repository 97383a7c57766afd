import AppStoreServerAPI
import StoreModel

/// Something that happened to a purchase, subscription, payment, customer or installation.
///
/// The rule that makes the change records it, in the same unit of work: `work.events.record(…)`.
/// Documentation/store-events.md describes the kinds, and what is made from events.
enum StoreEvent {
  /// A transaction was made: a purchase, a renewal or a family share.
  case added(StoredTransaction)
  case redelivered(Redelivery, of: StoredTransaction)
  /// The transaction was refunded, and is revoked.
  ///
  /// - Parameters:
  ///   - refund: the number of the row of `refund`; nil if nothing was paid back.
  ///   - keepsProduct: whether the customer owns the product by another transaction, too.
  case refunded(StoredTransaction, refund: Int64?, keepsProduct: Bool)
  case refundReversed(StoredTransaction, refund: Int64?)
  /// The period ended by an upgrade, and the rest of it was refunded.
  ///
  /// - Parameter share: the refunded share, in thousandths of a percent.
  case upgraded(StoredTransaction, refund: Int64?, share: Int)
  /// The family share was revoked.
  case shareRevoked(StoredTransaction, keepsProduct: Bool)
  /// The end of the period was moved.
  case extended(StoredTransaction)
  /// The customer asked for a refund of the transaction.
  case refundRequested(StoredTransaction, ConsumptionRequestReason)
  /// The refund that the customer asked for was declined.
  case refundDeclined(StoredTransaction)
  /// An extension for all subscribers could not extend the period.
  case extensionFailed(StoredTransaction)
  /// An extension for all subscribers was completed.
  case massExtensionCompleted(MassExtensionRow)
  /// A step of a subscription.
  ///
  /// - Parameter number: the number of the row of `subscriptionStep`.
  case subscription(SubscriptionStep, SubscriptionRow, number: Int64)

  /// The store refused a confirmed payment.
  case refused(PaymentRow, Installation)
  /// A confirmed payment began to wait for approval.
  case approvalAsked(PaymentRow, Installation)
  /// A payment that waited was approved, declined, or refused for another reason.
  case approvalDecided(PaymentRow, Installation)

  /// The store's operator bought a product or a plan for a customer.
  ///
  /// - Parameter installationID: the installation that receives it; nil for the first one that requests it.
  case boughtByOperator(StoredTransaction, installationID: InstallationID?)
  /// The store bought a product whose payment was interrupted before.
  case resumed(StoredTransaction, installationID: InstallationID)

  case customerStorefrontChanged(Customer)
  case settingsChanged(Installation)
  case storefrontChanged(Installation)
  /// The customer began a purchase in the App Store.
  ///
  /// - Parameter offer: the win-back offer that the customer chose there; nil for none.
  case promotedPurchase(ProductID, offer: PaymentOffer?, Installation)
  /// Unfinished transactions of an earlier installation were moved to this one.
  case unfinishedMoved(Installation)
  /// The installation's customer does not own these products any more. The installation may have missed that.
  case productsLost([ProductID], Installation)
  /// The store does not know which changes the installation has received.
  case changesMissed(Installation)
}

/// An event that a unit of work has recorded.
struct RecordedEvent {
  /// Its number in `storeEvent`.
  let sequence: Int64
  let event: StoreEvent
}

extension StoreEvent {
  var kind: StoreEventKind {
    switch self {
    case .added: .added
    case .redelivered: .redelivered
    case .refunded: .refunded
    case .refundReversed: .refundReversed
    case .upgraded: .upgraded
    case .shareRevoked: .shareRevoked
    case .extended: .extended
    case .refundRequested: .refundRequested
    case .refundDeclined: .refundDeclined
    case .extensionFailed: .extensionFailed
    case .massExtensionCompleted: .massExtensionCompleted
    case .subscription(let step, _, _): .subscription(step)
    case .refused: .refused
    case .approvalAsked: .approvalAsked
    case .approvalDecided: .approvalDecided
    case .boughtByOperator: .boughtByOperator
    case .resumed: .resumed
    case .customerStorefrontChanged: .customerStorefrontChanged
    case .settingsChanged: .settingsChanged
    case .storefrontChanged: .storefrontChanged
    case .promotedPurchase: .promotedPurchase
    case .unfinishedMoved: .unfinishedMoved
    case .productsLost: .productsLost
    case .changesMissed: .changesMissed
    }
  }

  /// What an event concerns.
  enum Subject {
    case transaction(StoredTransaction)
    case subscription(SubscriptionRow)
    case payment(PaymentRow, Installation)
    case customer(Customer)
    case installation(Installation)
    case app(BundleID, StoreEnvironment)
  }

  var subject: Subject {
    switch self {
    case .added(let stored), .redelivered(_, let stored), .refunded(let stored, _, _), .refundReversed(let stored, _),
      .upgraded(let stored, _, _), .shareRevoked(let stored, _), .extended(let stored),
      .refundRequested(let stored, _), .refundDeclined(let stored), .extensionFailed(let stored),
      .boughtByOperator(let stored, _), .resumed(let stored, _):
      .transaction(stored)
    case .subscription(_, let row, _): .subscription(row)
    case .refused(let payment, let installation), .approvalAsked(let payment, let installation),
      .approvalDecided(let payment, let installation):
      .payment(payment, installation)
    case .customerStorefrontChanged(let customer): .customer(customer)
    case .settingsChanged(let installation), .storefrontChanged(let installation),
      .promotedPurchase(_, _, let installation), .unfinishedMoved(let installation), .productsLost(_, let installation),
      .changesMissed(let installation):
      .installation(installation)
    case .massExtensionCompleted(let row): .app(row.bundleID, row.environment)
    }
  }

  /// The transaction of an event of a transaction, with its owner; nil for other events, and for those of subscriptions.
  var transaction: StoredTransaction? {
    if case .transaction(let stored) = subject { stored } else { nil }
  }

  /// The installation of an event of an installation; nil for other events.
  var installation: Installation? {
    if case .installation(let installation) = subject { installation } else { nil }
  }

  var content: StoreEventContent {
    var content = StoreEventContent()
    switch self {
    case .added, .redelivered, .refundReversed, .refundDeclined, .extensionFailed, .massExtensionCompleted,
      .customerStorefrontChanged:
      break
    case .refundRequested(_, let reason): content.refundRequestReason = reason
    case .refunded(let stored, _, _), .shareRevoked(let stored, _):
      content.revocationReason = stored.record.revocationReason
      content.revocationType = stored.record.revocationType
      content.percentage = stored.record.revocationPercentage
    case .upgraded(_, _, let share): content.percentage = share
    case .extended(let stored): content.expiresDate = stored.record.expiresDate
    case .subscription(let step, let row, _): content.note(step, row.state)
    case .refused(let payment, _), .approvalAsked(let payment, _), .approvalDecided(let payment, _):
      (content.installationID, content.paymentID) = (payment.installationID, payment.paymentID)
    case .boughtByOperator(_, let installationID): content.installationID = installationID
    case .resumed(_, let installationID): content.installationID = installationID
    case .promotedPurchase(let product, let offer, let installation):
      (content.installationID, content.productIDs) = (installation.installationID, [product])
      content.offer = offer.map { StoreEventContent.Offer(kind: $0.kind, identifier: $0.identifier) }
    case .productsLost(let products, let installation):
      (content.installationID, content.productIDs) = (installation.installationID, products)
    case .settingsChanged(let installation), .storefrontChanged(let installation), .unfinishedMoved(let installation),
      .changesMissed(let installation):
      content.installationID = installation.installationID
    }
    return content
  }
}

extension StoreEventContent {
  /// Notes what tells the step from others of its kind. The next event of the subscription changes the state.
  fileprivate mutating func note(_ step: SubscriptionStep, _ state: Subscription) {
    if state.renewalProductID != state.productID {
      (productID, renewalProductID) = (state.productID, state.renewalProductID)
    }
    switch step {
    case .subscribed, .resubscribed, .upgraded: offer = state.offer.map(Offer.init)
    case .planChosen, .offerRedeemed: offer = (state.planChange?.offer ?? state.nextOffer).map(Offer.init)
    case .expired: expirationReason = state.expirationReason
    case .priceIncreaseAnnounced, .priceIncreaseAgreed, .priceIncreaseDeclined:
      price = state.priceIncrease?.price
      needsConsent = state.priceIncrease?.needsConsent
    default: break
    }
  }
}

extension StoreEventContent.Offer {
  fileprivate init(_ running: Subscription.RunningOffer) {
    self.init(kind: running.offer.kind, identifier: running.offer.identifier)
  }
}
