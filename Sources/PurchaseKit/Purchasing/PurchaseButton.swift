/// The state of a buy button. Documentation/purchase-kit.md has a table of the rules.
public enum PurchaseButton: Hashable, Sendable {
  /// The price was not fetched yet.
  case loading
  /// The product can be bought; the value is the price in the storefront's format.
  case price(String)
  /// A payment is under way.
  case purchasing
  /// A payment waits for another person's approval (Ask to Buy).
  case waitingForApproval
  /// The store could not be reached. The manager repeats the request.
  case networkDown
  /// This device may not buy.
  case disabled
  /// The product could not be delivered now; the value is the reason.
  case withheld(String)
  /// The store does not know the product. For a developer: check the product's id, and its status in the store.
  case invalidProduct

  /// The button's text.
  public var title: String {
    switch self {
    case .loading: "Loading…"
    case .price(let price): "Buy \(price)"
    case .purchasing: "Purchasing…"
    case .waitingForApproval: "Waiting for approval"
    case .networkDown: "Network down?"
    case .disabled: "AppStore disabled"
    case .withheld(let reason): reason
    case .invalidProduct: "Not for sale in the App Store at the moment"
    }
  }

  /// Whether the button can be pressed: only if it shows a price.
  public var isEnabled: Bool {
    if case .price = self { true } else { false }
  }
}

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

extension InAppPurchaseManager {
  /// Returns the current state of a product's buy button.
  ///
  /// The state may change with every notification of the manager, with the device's restrictions, and with obstacles to
  /// a delivery, such as frozen credits. The last two change without a notification, so read the state again when a
  /// screen appears.
  public func purchaseButton(for productIdentifier: String) -> PurchaseButton {
    PurchaseButton(
      PurchaseButton.Properties(
        price: fetchedProducts[productIdentifier]?.displayPrice,
        isInvalid: invalidProductIdentifiers.contains(productIdentifier),
        requestFailed: unansweredProductIdentifiers.contains(productIdentifier),
        paymentsAllowed: canMakePayments, obstacle: obstacle(to: productIdentifier),
        payment: openPayment(for: productIdentifier)))
  }
}
