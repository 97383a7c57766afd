import StoreKit

/// A transaction of an app's purchases, by either StoreKit. It shows the state at the time of its notification.
public struct StoreTransaction: Hashable, Sendable, Identifiable {
  /// Identifies a transaction in this run of the app.
  public struct ID: Hashable, Sendable {
    /// StoreKit 1 updates the same object, so the object identifies the transaction.
    private enum Value: Sendable {
      case object(SKPaymentTransaction)
      case number(UUID)
    }

    private let value: Value

    init(_ transaction: SKPaymentTransaction) { value = .object(transaction) }

    package init() { value = .number(UUID()) }

    /// StoreKit 1's transaction; nil with StoreKit 2.
    var skTransaction: SKPaymentTransaction? { if case .object(let transaction) = value { transaction } else { nil } }

    public static func == (left: ID, right: ID) -> Bool {
      switch (left.value, right.value) {
      case (.object(let left), .object(let right)): left === right
      case (.number(let left), .number(let right)): left == right
      default: false
      }
    }

    public func hash(into hasher: inout Hasher) {
      switch value {
      case .object(let transaction): hasher.combine(ObjectIdentifier(transaction))
      case .number(let number): hasher.combine(number)
      }
    }
  }

  public enum State: Hashable, Sendable, CaseIterable {
    /// The customer is asked to confirm, or the store processes the payment.
    case purchasing
    /// The payment waits for another person's approval (Ask to Buy).
    case deferred
    case purchased
    case restored
    case failed
  }

  public let id: ID
  public let state: State
  /// The product. For a restored transaction of StoreKit 1, it is read from the original transaction, as Apple's
  /// documentation recommends.
  public let productIdentifier: String
  public let quantity: Int
  /// The store's identifier, as in ``PaidPurchase/transactionIdentifier``. Nil unless paid.
  public let transactionIdentifier: String?
  /// Nil unless the transaction is paid and complete.
  public let purchase: PaidPurchase?
  /// Why the payment has failed; nil if it has not. It is not part of `==`.
  public let error: (any Error)?

  package init(
    id: ID = ID(), state: State, productIdentifier: String, quantity: Int, transactionIdentifier: String? = nil,
    purchase: PaidPurchase? = nil, error: (any Error)? = nil
  ) {
    self.id = id
    self.state = state
    self.productIdentifier = productIdentifier
    self.quantity = quantity
    self.transactionIdentifier = transactionIdentifier
    self.purchase = purchase
    self.error = error
  }

  /// StoreKit 1's transaction; nil with StoreKit 2.
  public var skTransaction: SKPaymentTransaction? { id.skTransaction }

  public static func == (left: StoreTransaction, right: StoreTransaction) -> Bool {
    (left.id, left.state, left.productIdentifier, left.quantity, left.transactionIdentifier, left.purchase)
      == (right.id, right.state, right.productIdentifier, right.quantity, right.transactionIdentifier, right.purchase)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(state)
  }

  /// Whether both are the same transaction. StoreKit 1 may deliver another object for it each time.
  func isSame(as other: StoreTransaction) -> Bool {
    id == other.id || (transactionIdentifier != nil && transactionIdentifier == other.transactionIdentifier)
  }
}
