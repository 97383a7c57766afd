import Foundation
import StoreModel

/// A request to pay for a product. Implements Apple's `SKPayment`.
open class SKPayment: NSObject, NSCopying, NSMutableCopying {
  private var content: Content

  /// The properties that payments and mutable payments share.
  struct Content {
    var productIdentifier = ""
    var quantity = 1
    var applicationUsername: String?
    var requestData: Data?
    var simulatesAskToBuyInSandbox = false
    var paymentDiscount: SKPaymentDiscount?
  }

  public override init() {
    content = Content()
    super.init()
  }

  /// A payment for one item of `product`.
  public convenience init(product: SKProduct) {
    self.init()
    content.productIdentifier = product.productIdentifier
  }

  /// The payment of a stored request.
  convenience init(_ request: PaymentRequest) {
    self.init()
    content.productIdentifier = request.productID.rawValue
    content.quantity = request.quantity
    content.applicationUsername = request.applicationUsername
    content.simulatesAskToBuyInSandbox = request.simulatesAskToBuyInSandbox == true
    content.paymentDiscount = request.offer.flatMap(SKPaymentDiscount.init)
  }

  open var productIdentifier: String { content.productIdentifier }
  /// The quantity, 1 to 10.
  open var quantity: Int { content.quantity }
  /// The app's name for its user. A UUID becomes the transaction's `appAccountToken`.
  open var applicationUsername: String? { content.applicationUsername }
  /// Reserved: a payment with request data fails.
  open var requestData: Data? { content.requestData }
  open var simulatesAskToBuyInSandbox: Bool { content.simulatesAskToBuyInSandbox }
  open var paymentDiscount: SKPaymentDiscount? { content.paymentDiscount }

  open func copy(with zone: NSZone? = nil) -> Any { copied(into: SKPayment()) }
  open func mutableCopy(with zone: NSZone? = nil) -> Any { copied(into: SKMutablePayment()) }

  private func copied(into other: SKPayment) -> SKPayment {
    // Reads the properties, because a subclass may override them.
    other.content = Content(
      productIdentifier: productIdentifier, quantity: quantity, applicationUsername: applicationUsername,
      requestData: requestData, simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox,
      paymentDiscount: paymentDiscount)
    return other
  }

  fileprivate func change(_ change: (inout Content) -> Void) { change(&content) }
}

/// A payment whose parameters can be set before it is added. Implements Apple's `SKMutablePayment`.
open class SKMutablePayment: SKPayment {
  open override var productIdentifier: String {
    get { super.productIdentifier }
    set { change { $0.productIdentifier = newValue } }
  }

  open override var quantity: Int {
    get { super.quantity }
    set { change { $0.quantity = newValue } }
  }

  open override var applicationUsername: String? {
    get { super.applicationUsername }
    set { change { $0.applicationUsername = newValue } }
  }

  open override var requestData: Data? {
    get { super.requestData }
    set { change { $0.requestData = newValue } }
  }

  open override var simulatesAskToBuyInSandbox: Bool {
    get { super.simulatesAskToBuyInSandbox }
    set { change { $0.simulatesAskToBuyInSandbox = newValue } }
  }

  open override var paymentDiscount: SKPaymentDiscount? {
    get { super.paymentDiscount }
    set { change { $0.paymentDiscount = newValue } }
  }
}
