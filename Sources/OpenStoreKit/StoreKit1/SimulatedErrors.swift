import SignedData
import StoreModel

/// The errors with which a test session makes calls of a device fail. A call fails before it sends anything.
package final class SimulatedErrors: Sendable {
  /// A kind of call, as StoreKitTest names them.
  package enum Call: Hashable, Sendable {
    case loadProducts, purchase, appStoreSync, subscriptionStatus, appTransaction, manageSubscriptions, refundRequest
    case offerCodeRedeem
  }

  private struct State: Sendable {
    var errors: [Call: any Error] = [:]
    var payment: PaymentFailure?
    var verification: VerificationFailure?
  }

  private let state = LockedValue(State())

  init() {}

  /// The error of a kind of call; nil for none.
  package subscript(call: Call) -> (any Error)? { state.withLock { $0.errors[call] } }

  /// The failure of payments of StoreKit 1; nil for none.
  var payment: PaymentFailure? { state.withLock { $0.payment } }

  /// The failure with which signed transactions are shown as unverified; nil for none.
  package var verification: VerificationFailure? {
    get { state.withLock { $0.verification } }
    set { state.withLock { $0.verification = newValue } }
  }

  /// - Parameter payment: the failure of payments of StoreKit 1, if `call` is a purchase.
  func set(_ error: (any Error)?, for call: Call, payment: PaymentFailure?) {
    state.withLock { state in
      state.errors[call] = error
      if call == .purchase { state.payment = payment }
    }
  }

  /// - Throws: the error of a kind of call, if there is one.
  func check(_ call: Call) throws {
    if let error = self[call] { throw error }
  }

  /// Removes all errors.
  package func removeAll() { state.value = State() }
}
