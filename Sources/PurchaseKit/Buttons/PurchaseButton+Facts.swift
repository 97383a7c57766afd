extension PurchaseButton {
  /// What decides a button.
  public struct Facts: Hashable, Sendable {
    /// The price as the storefront writes it; nil until the product was fetched.
    public var price: String?
    /// Whether the store called the identifier invalid when it was last asked.
    public var isInvalid: Bool
    /// Whether the last request for the product failed.
    public var requestFailed: Bool
    /// Whether this device may buy.
    public var paymentsAllowed: Bool
    /// Why the product could not be given now; nil where it can be.
    public var obstacle: String?
    /// The payment for the product that has no outcome yet.
    public var payment: OpenPayment?

    public init(
      price: String? = nil, isInvalid: Bool = false, requestFailed: Bool = false, paymentsAllowed: Bool = true,
      obstacle: String? = nil, payment: OpenPayment? = nil
    ) {
      self.price = price
      self.isInvalid = isInvalid
      self.requestFailed = requestFailed
      self.paymentsAllowed = paymentsAllowed
      self.obstacle = obstacle
      self.payment = payment
    }
  }

  /// The button that fits `facts`.
  ///
  /// An open payment comes first, because a restriction that was switched on meanwhile does not end it. What could not be given
  /// is not sold. A price stays
  /// although a later request failed: it is good until the store says otherwise.
  public init(_ facts: Facts) {
    switch facts.payment {
    case .underWay: self = .purchasing
    case .waitingForApproval: self = .waitingForApproval
    case nil where !facts.paymentsAllowed: self = .disabled
    case nil where facts.isInvalid: self = .invalidProduct
    case nil:
      if let obstacle = facts.obstacle {
        self = .withheld(obstacle)
      } else if let price = facts.price {
        self = .price(price)
      } else {
        self = facts.requestFailed ? .networkDown : .loading
      }
    }
  }
}
