import Foundation
import OpenStoreKit
import StoreModel

/// A simulated customer. It gives the answers that the demo's commands specify, and reports the prompts of StoreKit.
final class ScriptedCustomer: StoreCustomer {
  private struct State: Sendable {
    var account: AccountName = "customer"
    var confirms = true
  }

  private let state = LockedValue(State())
  private let reportsSignIn: Bool
  private let send: EventSender

  /// - Parameter reportsSignIn: whether a sign-in sheet is reported.
  init(reportsSignIn: Bool, send: EventSender) {
    self.reportsSignIn = reportsSignIn
    self.send = send
  }

  var account: AccountName {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue } }
  }

  var confirms: Bool {
    get { state.withLock { $0.confirms } }
    set { state.withLock { $0.confirms = newValue } }
  }

  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    if reportsSignIn { send(.signInSheet(account: account.rawValue)) }
    return reason == .notSignedIn ? .credentials(SignInCredentials(account: account)) : .cancel
  }

  /// On Apple's devices, somebody is signed in before an app runs.
  func accountOfDevice() async -> SignInCredentials? { SignInCredentials(account: account) }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    send(
      .sheet(
        title: quote.displayName, quantity: quote.payment.quantity, unitPrice: quote.unitPriceText,
        total: quote.totalText))
    return confirms ? .confirm : .cancel
  }

  func inform(_ notice: StoreNotice) async {
    switch notice {
    case .boughtBefore(let quote): send(.boughtBefore(title: quote.displayName))
    case .planChangeScheduled(let quote): send(.planChangeScheduled(title: quote.displayName))
    case .paymentsNotAllowed: send(.paymentsNotAllowed)
    case .message(let message): send(.message(reason: message.rawValue))
    }
  }
}
