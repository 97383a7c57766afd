import Foundation

/// What either StoreKit reports to an ``InAppPurchaseManager``.
package enum EdgeEvent: Sendable {
  /// A transaction is new, or has changed. `order` is the id of the ``PaymentOrder``; nil if this manager did not add the
  /// payment.
  case updated(StoreTransaction, order: UUID?)
  /// A transaction was finished, by the manager or by other code of the app.
  case removed(StoreTransaction)
  /// The customer no longer owns these products. `isRetry` is whether the deliveries were notified before, and one of
  /// them has failed.
  case revoked([String], isRetry: Bool = false)
  /// A restore has ended. The error is nil if it succeeded.
  case restoreEnded((any Error)?)
  case storefrontChanged
}

/// The part of PurchaseKit that calls StoreKit. There is one implementation for StoreKit 1 and one for StoreKit 2.
///
/// "Edge" means: the outermost layer, where the library ends and Apple's framework begins. An edge turns StoreKit's
/// objects into values of this library, and the manager's orders into calls of StoreKit. It delivers nothing and stores
/// nothing. All other code is the same for both.
protocol StoreEdge: AnyObject, Sendable {
  var interface: StoreInterface { get }

  /// Begins to report events, on the main queue and in order.
  ///
  /// - Parameters:
  ///   - receive: receives the events. Returns the work that StoreKit has to wait for; nil for none. Its value is
  ///     whether the event was handled. A purchase is handled also if its product could not be delivered, because its
  ///     transaction stays unfinished.
  ///   - shouldAdd: whether a purchase that was begun in the App Store continues at once.
  func start(
    _ receive: @escaping @Sendable (EdgeEvent) -> Task<Bool, Never>?,
    shouldAdd: @escaping @Sendable (StorePayment) -> Bool)

  /// Ends the reports. Payments under way continue.
  func stop()

  /// Requests products.
  ///
  /// - Returns: the products on sale, and the identifiers of the others.
  /// - Throws: the request's error, or `CancellationError` when the task is cancelled.
  func products(_ identifiers: Set<String>) async throws -> (products: [StoreProduct], invalid: Set<String>)

  func add(_ order: PaymentOrder)

  /// Continues a purchase that was begun in the App Store. Its transactions name `order`.
  func resume(_ payment: StorePayment, order: UUID)

  func finish(_ transaction: StoreTransaction)

  func restore(applicationUsername: String?)

  /// Returns the transaction in its current state. It may have changed since it was reported.
  func current(_ transaction: StoreTransaction) -> StoreTransaction

  /// The transactions that are purchasing or deferred.
  var open: [StoreTransaction] { get }

  /// Whether this device may buy.
  var canMakePayments: Bool { get }
}
