import Foundation
import OpenStoreKit
import SharedFixtures
import StoreModel

/// A customer with scripted answers. It records the questions.
final class ScriptedCustomer: StoreCustomer, @unchecked Sendable {
  private let lock = NSLock()
  private var signIns: [SignInAnswer]
  private var confirmations: [ConfirmationAnswer]
  private var quotes: [PaymentQuote] = []
  private var reasons: [SignInReason] = []
  private var reported: [StoreNotice] = []
  private let (shown, showing) = AsyncStream.makeStream(of: StoreNotice.self)
  private let waits = ManualWaits<PaymentRequest>()
  private var shownWaits: [PaymentRequest] = []
  private var lateCancellation: HeldAnswer?
  private var openAlert: HeldAnswer?
  private var openSheet: HeldAnswer?

  /// Gives these answers in order. After the last one, it signs in as `customer` and confirms.
  init(signIns: [SignInAnswer] = [], confirmations: [ConfirmationAnswer] = []) {
    self.signIns = signIns
    self.confirmations = confirmations
  }

  var askedToConfirm: [PaymentQuote] { lock.withLock { quotes } }
  var askedToSignIn: [SignInReason] { lock.withLock { reasons } }
  var notices: [StoreNotice] { lock.withLock { reported } }

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
  var waitedFor: [PaymentRequest] { lock.withLock { shownWaits } }

  /// Holds back the next cancellation of a wait, until StoreKit ends the wait. The customer has cancelled when the
  /// answer is given.
  func holdCancellation() -> HeldAnswer {
    let late = HeldAnswer()
    lock.withLock { lateCancellation = late }
    return late
  }

  /// Cancels all payments that are shown to wait.
  func cancelWaits() { waits.release() }

  /// Leaves alerts open until the test closes them.
  func leaveAlertsOpen() -> HeldAnswer {
    let open = HeldAnswer()
    lock.withLock { openAlert = open }
    return open
  }

  /// Leaves confirmation sheets open until the test closes them.
  func leaveSheetsOpen() -> HeldAnswer {
    let open = HeldAnswer()
    lock.withLock { openSheet = open }
    return open
  }

  /// Sets the answers to the next sign-in sheets.
  func signInNext(_ answers: [SignInAnswer]) { lock.withLock { signIns = answers } }

  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    lock.withLock {
      reasons.append(reason)
      return signIns.isEmpty ? .credentials(SignInCredentials(account: "customer")) : signIns.removeFirst()
    }
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    await lock.withLock { openSheet }?.hold()
    return lock.withLock {
      quotes.append(quote)
      return confirmations.isEmpty ? .confirm : confirmations.removeFirst()
    }
  }

  func waitForStore(_ payment: PaymentRequest) async -> StoreWaitEnd {
    lock.withLock { shownWaits.append(payment) }
    guard await waits.wait(payment) else { return .over }
    await lock.withLock { lateCancellation }?.hold()
    return .cancelled
  }

  func inform(_ notice: StoreNotice) async {
    lock.withLock { reported.append(notice) }
    showing.yield(notice)
    await lock.withLock { openAlert }?.hold()
  }
}
