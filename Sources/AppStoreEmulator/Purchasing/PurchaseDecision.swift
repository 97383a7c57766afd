import Foundation
import StoreModel

/// The decision on a confirmed payment. It uses no clock and no database.
enum PurchaseDecision: Equatable {
  /// The payment was decided before. It gets the same answer again.
  case asBefore(PaymentRow.Outcome)
  /// Charges exactly the quote.
  case charge
  /// Redelivers the product without a charge, because the customer owns it already.
  case deliverAgain
  /// Stores the confirmed quote until the payment is approved or declined.
  case waitForApproval
  /// Asks the customer again, because the price, the product or the storefront has changed.
  case askAgain(PaymentQuote)
  /// Refuses the payment, and stores the refusal as its outcome.
  case refuse(StoreRefusal)
  /// Refuses this request only, because it does not match its payment. The payment's outcome does not change.
  case reject(StoreRefusal)

  /// - Parameters:
  ///   - quote: the quote that the customer confirmed.
  ///   - earlier: the row of this payment id if it was decided before.
  ///   - isGenuine: whether this store made the quote for this installation.
  ///   - isOfCustomer: whether the customer of the quote still exists, and is not a later customer of the same name.
  ///   - isOwned: whether the account owns the product, and must not be charged for it again.
  ///   - current: the current quote of the same payment for the account that confirmed it, or the reason why there is
  ///     none.
  ///   - needsApproval: whether the payment needs approval (Ask to Buy).
  ///   - fault: the refusal of a fault, used if the payment would otherwise be charged, redelivered, or wait for
  ///     approval.
  init(
    confirming quote: PaymentQuote, earlier: PaymentRow?, epoch: StoreEpoch, isGenuine: Bool,
    isOfCustomer: Bool = true, isOwned: Bool = false, current: Result<PaymentQuote, StoreRefusal>,
    paymentMethod: Customer.PaymentMethod, needsApproval: Bool = false,
    fault: StoreRefusal? = nil
  ) {
    if let earlier {
      // Checked first, because a repeated confirmation gets the same answer even after a change of the price.
      self =
        earlier.request == quote.payment && earlier.account == quote.account
        ? .asBefore(earlier.outcome)
        : .reject(
          StoreRefusal(
            .paymentConflict,
            "Payment \(quote.payment.paymentID) was confirmed before with other content. A new purchase needs a new id."
          ))
      return
    }
    guard quote.epoch == epoch else {
      self = .reject(
        StoreRefusal(.epochEnded, "The store was reset since the customer confirmed. Nothing was charged."))
      return
    }
    guard isGenuine else {
      self = .reject(
        StoreRefusal(
          .quoteNotGenuine, "That quote was not made by this store for this installation. Nothing was charged."))
      return
    }
    guard isOfCustomer else {
      // The refusal need not be stored: customer numbers are never reused, so a repeated request is refused again.
      self = .reject(
        StoreRefusal(
          .accountGone, "The account \(quote.account), which confirmed this, was deleted. Nothing was charged."))
      return
    }
    if isOwned {
      // Nothing is charged, so the price, the payment method and the approval do not matter.
      self = fault?.endsPayment == true ? fault.map(Self.refuse) ?? .deliverAgain : .deliverAgain
      return
    }
    switch current {
    case .failure(let refusal):
      // A refusal that may be temporary must not become the payment's outcome.
      self = refusal.endsPayment ? .refuse(refusal) : .reject(refusal)
    case .success(let current) where !current.chargesTheSame(as: quote):
      self = .askAgain(current)
    case .success where fault?.endsPayment == true:
      self = fault.map(Self.refuse) ?? .charge
    case .success where needsApproval:
      self = .waitForApproval
    case .success:
      self = Self.refusal(of: quote, for: paymentMethod).map(Self.refuse) ?? .charge
    }
  }

  /// The refusal of a payment that waited for approval; nil if it can be charged, or if the customer owns the product
  /// already.
  static func refusal(
    of quote: PaymentQuote, isApproved: Bool, isOwned: Bool, isForSale: Bool, paymentMethod: Customer.PaymentMethod
  ) -> StoreRefusal? {
    guard isApproved else {
      return StoreRefusal(.approvalDeclined, "The purchase was not approved. Nothing was charged.")
    }
    if isOwned { return nil }
    guard isForSale else {
      return StoreRefusal(.productNotAvailable, "What was approved is no longer for sale. Nothing was charged.")
    }
    return refusal(of: quote, for: paymentMethod)
  }

  /// The refusal of a payment with `paymentMethod`; nil if it can be charged, or is not charged before the next period
  /// of a subscription.
  static func refusal(of quote: PaymentQuote, for paymentMethod: Customer.PaymentMethod) -> StoreRefusal? {
    guard quote.plan?.startDate == nil else { return nil }
    return switch paymentMethod {
    case .valid: nil
    case .declined: StoreRefusal(.paymentDeclined, "The payment method was declined. Nothing was charged.")
    case .needsAttention:
      StoreRefusal(
        .purchaseInterrupted,
        "Your account needs attention before you can buy. Nothing was charged; the purchase goes on once that is settled."
      )
    }
  }
}
