import Foundation
import OpenStoreKit
import StoreModel

/// A customer who answers as the demo says, and reports each question.
final class SteeredCustomer: StoreCustomer {
  private struct State: Sendable {
    var account: AccountName = "customer"
    var confirms = true
  }

  private let state = LockedValue(State())
  private let tellsSignIn: Bool
  private let say: EventSender

  /// - Parameter tellsSignIn: whether a sign-in sheet is reported.
  init(tellsSignIn: Bool, say: EventSender) {
    self.tellsSignIn = tellsSignIn
    self.say = say
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
    if tellsSignIn { say(.signInSheet(account: account.rawValue)) }
    return reason == .notSignedIn ? .credentials(SignInCredentials(account: account)) : .cancel
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    say(
      .sheet(
        title: quote.displayName, quantity: quote.payment.quantity, unitPrice: quote.unitPriceText,
        total: quote.totalText))
    return confirms ? .confirm : .cancel
  }

  func inform(_ notice: StoreNotice) async {
    switch notice {
    case .boughtBefore(let quote): say(.boughtBefore(title: quote.displayName))
    case .paymentsNotAllowed: say(.paymentsNotAllowed)
    }
  }
}
