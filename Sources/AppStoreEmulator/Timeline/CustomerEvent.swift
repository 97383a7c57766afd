import StoreModel

/// An event in the timeline of a customer.
package struct CustomerEvent: Hashable, Sendable {
  /// The date on the store's clock. Some records have whole seconds only.
  package let date: StoreDate
  package let kind: Kind

  package enum Kind: Hashable, Sendable {
    /// The customer bought a product, a subscription renewed, or the family shared a purchase with the customer. The
    /// charge is nil if there was nothing to pay.
    case transaction(StoredTransaction, Charge?)
    case redelivered(Redelivery, of: StoredTransaction)
    case refunded(Refund)
    case refundReversed(Refund)
    /// The transaction was revoked without a refund, because it was free, or because its family share ended.
    case revoked(StoredTransaction)
    /// The payment was confirmed, and began to wait for approval.
    case approvalAsked(CustomerPayment)
    /// The payment that waited was approved, declined, or refused for another reason.
    case approvalDecided(CustomerPayment)
    /// The customer confirmed the payment, and the store refused it.
    case refused(CustomerPayment)
    /// A step of a subscription. The subscription's beginning and its renewals are `transaction` events instead.
    case subscription(SubscriptionStep, RenewalRecord)
    /// A request that was refused or failed, and that no other event shows. Only requests that are still in the journal
    /// appear.
    case request(JournaledRequest)
  }
}

/// A page of the timeline of a customer, newest event first.
package struct CustomerEventPage: Hashable, Sendable {
  package let events: [CustomerEvent]
  /// Whether there are older events.
  package let hasMore: Bool
}
