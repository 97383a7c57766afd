import Foundation
import OpenStoreKit
import SharedFixtures
import StoreModel

/// A customer with scripted answers. It records the questions.
final class ScriptedCustomer: StoreCustomer {
  private struct State: Sendable {
    var signIns: [SignInAnswer]
    var confirmations: [ConfirmationAnswer]
    var quotes: [PaymentQuote] = []
    var reasons: [SignInReason] = []
    var reported: [StoreNotice] = []
    var shownWaits: [PaymentRequest] = []
    var lateCancellation: HeldAnswer?
    var openAlert: HeldAnswer?
    var openSheet: HeldAnswer?
  }

  private let state: LockedValue<State>
  private let (shown, showing) = AsyncStream.makeStream(of: StoreNotice.self)
  private let waits = ManualWaits<PaymentRequest>()

  /// Gives these answers in order. After the last one, it signs in as `customer` and confirms.
  init(signIns: [SignInAnswer] = [], confirmations: [ConfirmationAnswer] = []) {
    state = LockedValue(State(signIns: signIns, confirmations: confirmations))
  }

  var askedToConfirm: [PaymentQuote] { state.withLock { $0.quotes } }
  var askedToSignIn: [SignInReason] { state.withLock { $0.reasons } }
  var notices: [StoreNotice] { state.withLock { $0.reported } }

  /// Waits for the next notice. StoreKit shows it after it has notified the app.
  func nextNotice() async -> StoreNotice? {
    for await notice in shown { return notice }
    return nil
  }

  /// Returns the next payment that is shown to wait for the store.
  func nextWait() async -> PaymentRequest? { await waits.next() }

  /// Returns when a payment is no longer shown to wait.
  func nextWaitEnd() async { await waits.nextEnd() }

  /// The payments that were shown to wait for the store.
  var waitedFor: [PaymentRequest] { state.withLock { $0.shownWaits } }

  /// Holds back the next cancellation of a wait, until StoreKit ends the wait. The customer has cancelled when the
  /// answer is given.
  func holdCancellation() -> HeldAnswer {
    let late = HeldAnswer()
    state.withLock { $0.lateCancellation = late }
    return late
  }

  /// Cancels all payments that are shown to wait.
  func cancelWaits() { waits.release() }

  /// Leaves alerts open until the test closes them.
  func leaveAlertsOpen() -> HeldAnswer {
    let open = HeldAnswer()
    state.withLock { $0.openAlert = open }
    return open
  }

  /// Leaves confirmation sheets open until the test closes them.
  func leaveSheetsOpen() -> HeldAnswer {
    let open = HeldAnswer()
    state.withLock { $0.openSheet = open }
    return open
  }

  /// Sets the answers to the next sign-in sheets.
  func signInNext(_ answers: [SignInAnswer]) { state.withLock { $0.signIns = answers } }

  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    state.withLock { state in
      state.reasons.append(reason)
      return state.signIns.isEmpty ? .credentials(SignInCredentials(account: "customer")) : state.signIns.removeFirst()
    }
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    await state.withLock { $0.openSheet }?.hold()
    return state.withLock { state in
      state.quotes.append(quote)
      return state.confirmations.isEmpty ? .confirm : state.confirmations.removeFirst()
    }
  }

  func waitForStore(_ payment: PaymentRequest) async -> StoreWaitEnd {
    state.withLock { $0.shownWaits.append(payment) }
    guard await waits.wait(payment) else { return .over }
    await state.withLock { $0.lateCancellation }?.hold()
    return .cancelled
  }

  func inform(_ notice: StoreNotice) async {
    state.withLock { $0.reported.append(notice) }
    showing.yield(notice)
    await state.withLock { $0.openAlert }?.hold()
  }
}
