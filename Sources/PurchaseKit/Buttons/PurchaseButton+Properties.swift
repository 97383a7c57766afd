extension PurchaseButton {
  /// The properties that a button depends on.
  public struct Properties: Hashable, Sendable {
    /// The price in the storefront's format; nil until the product is fetched.
    public var price: String?
    /// Whether the store's last response listed the identifier as invalid.
    public var isInvalid: Bool
    /// Whether the last request for the product failed.
    public var requestFailed: Bool
    /// Whether this device may buy.
    public var paymentsAllowed: Bool
    /// Why the product could not be delivered now; nil if it could.
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

  /// Returns the button for `properties`.
  ///
  /// An open payment comes first, because a restriction that is switched on later does not end it. A product that could not
  /// be delivered is not sold. A price stays after a later request failed: it is valid until the store reports another.
  public init(_ properties: Properties) {
    switch properties.payment {
    case .underWay: self = .purchasing
    case .waitingForApproval: self = .waitingForApproval
    case nil where !properties.paymentsAllowed: self = .disabled
    case nil where properties.isInvalid: self = .invalidProduct
    case nil:
      if let obstacle = properties.obstacle {
        self = .withheld(obstacle)
      } else if let price = properties.price {
        self = .price(price)
      } else {
        self = properties.requestFailed ? .networkDown : .loading
      }
    }
  }
}
