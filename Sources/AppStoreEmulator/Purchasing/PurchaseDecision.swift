import Foundation
import StoreModel

/// What becomes of a confirmed payment, decided in values: no clock, no database.
enum PurchaseDecision: Equatable {
  /// This payment id was decided before; the answer is the same for ever.
  case asBefore(PaymentRow.Outcome)
  /// Charge exactly the quote.
  case charge
  /// The customer has it already: deliver that once more, and charge nothing.
  case deliverAgain
  /// Remember what was confirmed, until somebody approves or declines it.
  case waitForApproval
  /// The price, the product or the storefront changed since; ask the customer again.
  case askAgain(PaymentQuote)
  /// Refuse, and remember that this payment id was refused.
  case refuse(StoreRefusal)
  /// Refuse this request, which is not the payment it pretends to be; the payment id stays as it is.
  case reject(StoreRefusal)

  /// - Parameters:
  ///   - quote: what the customer confirmed.
  ///   - earlier: what was decided for this payment id before.
  ///   - isGenuine: whether this store made the quote for this installation.
  ///   - isOfCustomer: whether the customer it was made for is the one who has that account name now.
  ///   - isHeld: whether the account has the product, and must not be charged for it again.
  ///   - current: the same payment quoted now for the account that confirmed it; or why it can no longer be.
  ///   - needsApproval: whether somebody else has to approve it.
  ///   - fault: how a fault refuses what would otherwise be charged, or wait for approval.
  init(
    confirming quote: PaymentQuote, earlier: PaymentRow?, epoch: StoreEpoch, isGenuine: Bool,
    isOfCustomer: Bool = true, isHeld: Bool = false, current: Result<PaymentQuote, StoreRefusal>,
    paymentMethod: Customer.PaymentMethod, needsApproval: Bool = false,
    fault: StoreRefusal? = nil
  ) {
    if let earlier {
      // Asked again: the answer is the same for ever, also after a change of price, which is why this comes first.
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
      // Need not be remembered: customers' numbers do not come back.
      self = .reject(
        StoreRefusal(
          .accountGone, "The account \(quote.account), which confirmed this, was deleted. Nothing was charged."))
      return
    }
    if isHeld {
      // Nothing is charged: what becomes of a price, a payment method or an approval does not matter.
      self = fault?.endsPayment == true ? fault.map(Self.refuse) ?? .deliverAgain : .deliverAgain
      return
    }
    switch current {
    case .failure(let refusal):
      // What may yet be mended must not be remembered as the payment's outcome.
      self = refusal.endsPayment ? .refuse(refusal) : .reject(refusal)
    case .success(let current) where !current.chargesTheSame(as: quote):
      self = .askAgain(current)
    case .success where fault?.endsPayment == true:
      self = fault.map(Self.refuse) ?? .charge
    case .success where needsApproval:
      self = .waitForApproval
    case .success:
      self = Self.refusal(for: paymentMethod).map(Self.refuse) ?? .charge
    }
  }

  /// What becomes of a payment that waited for approval: why it is refused, or nil where it is charged.
  static func refusal(
    isApproved: Bool, isHeld: Bool, isForSale: Bool, paymentMethod: Customer.PaymentMethod
  ) -> StoreRefusal? {
    guard isApproved else {
      return StoreRefusal(.approvalDeclined, "The purchase was not approved. Nothing was charged.")
    }
    if isHeld { return nil }
    guard isForSale else {
      return StoreRefusal(.productNotAvailable, "What was approved is no longer for sale. Nothing was charged.")
    }
    return refusal(for: paymentMethod)
  }

  /// Why nothing can be charged to `paymentMethod`; nil where it can.
  static func refusal(for paymentMethod: Customer.PaymentMethod) -> StoreRefusal? {
    switch paymentMethod {
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
