import StoreKit

/// A payment that the customer began in the App Store (a promoted purchase).
///
/// `SKPayment` is not `Sendable`; this one is immutable, and from the store.
public struct StorePayment: Hashable, @unchecked Sendable {
  public let productIdentifier: String
  /// The offer of the payment, such as a win-back offer; nil for none.
  public let offerIdentifier: String?
  /// The object that StoreKit 1 has sent, and requires to continue; nil with StoreKit 2. Two payments for the same product
  /// are equal only if they are the same object.
  public let skPayment: SKPayment?

  public static func == (left: StorePayment, right: StorePayment) -> Bool {
    left.skPayment === right.skPayment
      && (left.productIdentifier, left.offerIdentifier) == (right.productIdentifier, right.offerIdentifier)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(productIdentifier)
    hasher.combine(offerIdentifier)
  }
}

/// A payment that the manager adds. Its transactions name it.
struct PaymentOrder: Hashable, Sendable {
  let id: UUID
  let product: StoreProduct
  let quantity: Int
  /// The app's name for its user; nil for none.
  let applicationUsername: String?
}
