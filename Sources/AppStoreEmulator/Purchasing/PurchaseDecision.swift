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
  /// Asks the customer again, because the price, the storefront or the subscription has changed.
  case askAgain(PaymentQuote)
  /// Refuses the payment, and stores the refusal as its outcome.
  case refuse(StoreRefusal)
  /// Refuses only this request, for example because it does not match its payment, or because the reason may be
  /// temporary. The refusal is not stored, and the payment's outcome does not change.
  case reject(StoreRefusal)

  /// - Parameters:
  ///   - check: the quote that the customer confirmed, and its check.
  ///   - earlier: the row of this payment id if it was decided before.
  ///   - isOwned: whether the account owns the product, and must not be charged for it again.
  ///   - current: the current quote of the same payment for the account that confirmed it, or the reason why there is
  ///     none.
  ///   - needsApproval: whether the payment needs approval (Ask to Buy).
  ///   - isRestricted: whether the control API has restricted purchases on the installation.
  ///   - fault: the refusal of a fault. It replaces a charge, a redelivery, a wait for approval, or a refusal because
  ///     of the payment method. It is ignored if it does not end the payment.
  init(
    confirming check: QuoteCheck, earlier: PaymentRow?, isOwned: Bool = false,
    current: Result<PaymentQuote, StoreRefusal>, paymentMethod: Customer.PaymentMethod, needsApproval: Bool = false,
    isRestricted: Bool = false, fault: StoreRefusal? = nil
  ) {
    let quote = check.quote
    if let earlier {
      // Checked first, because a repeated confirmation gets the same answer even after a change of the price.
      self =
        earlier.request.hasContent(of: quote.payment) && earlier.account == quote.account
        ? .asBefore(earlier.outcome)
        : .reject(
          StoreRefusal(
            .paymentConflict,
            "Payment \(quote.payment.paymentID) was confirmed before with other content. A new purchase needs a new id."
          ))
      return
    }
    if let refusal = check.refusal {
      self = .reject(refusal)
      return
    }
    if isRestricted {
      self = .refuse(
        StoreRefusal(.paymentNotAllowed, "In-App Purchases are not allowed on this device. Nothing was charged."))
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
    case .success(let current) where check.isStale(beside: current):
      self = .askAgain(current)
    case .success where fault?.endsPayment == true:
      self = fault.map(Self.refuse) ?? .charge
    case .success where needsApproval:
      self = .waitForApproval
    case .success:
      self = Self.refusal(of: quote, for: paymentMethod).map(Self.refuse) ?? .charge
    }
  }

  /// The refusal of a payment that waited for approval. Nil if it was approved, and either can be charged or is for a
  /// product that the customer already owns.
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
