import Foundation
import OpenStoreKit
import StoreModel

/// A customer who is a person using the page. Each prompt of StoreKit is a sheet that waits for an answer.
final class SheetCustomer: StoreCustomer {
  private struct State: Sendable {
    var sheets: SheetQueue
    var waiting: [Int: CheckedContinuation<SheetOutcome, Never>] = [:]
    var account: String
  }

  private let state: LockedValue<State>
  private let steps: StepReporter
  private let changed: @Sendable () -> Void

  /// - Parameters:
  ///   - account: the account that the sign-in sheet suggests; empty for none.
  ///   - firstSheet: the number of the first sheet. It must differ from the numbers of earlier launches.
  ///   - changed: called after a sheet was added or answered.
  init(
    account: String, steps: StepReporter, firstSheet: Int = .random(in: 1...(1 << 52)),
    changed: @escaping @Sendable () -> Void
  ) {
    state = LockedValue(State(sheets: SheetQueue(firstNumber: firstSheet), account: account))
    self.steps = steps
    self.changed = changed
  }

  // MARK: Answers from the page

  /// The sheet that is shown to the person; nil if there is none.
  var shown: SheetQueue.Sheet? { state.withLock { $0.sheets.shown } }

  var nextNumber: Int { state.withLock { $0.sheets.nextNumber } }

  /// Passes a person's answer to the caller that waits for it.
  func answer(_ number: Int, _ answer: SheetAnswer) throws(SheetRefusal) {
    let (outcome, continuation) = try state.withLock { state throws(SheetRefusal) in
      let outcome = try state.sheets.answer(number, answer)
      if case .signIn(.credentials(let credentials)) = outcome { state.account = credentials.account.rawValue }
      return (outcome, state.waiting.removeValue(forKey: number))
    }
    continuation?.resume(returning: outcome)
    changed()
  }

  // MARK: StoreKit's questions

  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    var refusal: String?
    if case .refused(let reason) = reason { refusal = reason.message }
    let prompt = StorePrompt.signIn(account: state.withLock { $0.account }, refusal: refusal)
    let outcome = await ask(prompt) { steps in steps(.signInShown, detail: refusal) }
    guard case .signIn(let answer) = outcome else { return .cancel }
    return answer
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    let (product, total) = (quote.payment.productID.rawValue, quote.totalText)
    let outcome = await ask(.confirmation(quote)) { steps in
      steps(.confirmationShown, product: product, detail: total)
    }
    guard case .confirmation(let answer) = outcome else { return .cancel }
    if answer == .confirm { steps(.confirmed, product: product, detail: total) }
    return answer
  }

  func waitForStore(_ payment: PaymentRequest) async -> StoreWaitEnd {
    let number = LockedValue<Int?>(nil)
    return await withTaskCancellationHandler {
      let outcome = await ask(.waitingForStore) { _ in
      } added: {
        number.value = $0
        // The wait may have ended before the sheet was added.
        if Task.isCancelled { withdraw($0) }
      }
      return outcome == .waitCancelled ? .cancelled : .over
    } onCancel: {
      if let number = number.value { withdraw(number) }
    }
  }

  func inform(_ notice: StoreNotice) async {
    switch notice {
    case .boughtBefore(let quote):
      _ = await ask(.boughtBefore(quote)) { steps in steps(.boughtBefore, product: quote.payment.productID.rawValue) }
    case .planChangeScheduled(let quote):
      _ = await ask(.planChangeScheduled(quote)) { steps in
        steps(.planChangeScheduled, product: quote.payment.productID.rawValue)
      }
    case .paymentsNotAllowed:
      _ = await ask(.paymentsNotAllowed) { _ in }
    case .message(let message):
      _ = await ask(.message(message)) { steps in steps(.message, detail: StorePrompt.message(message).title) }
    }
  }

  func requestRefund(_ productID: ProductID, _ transactionID: TransactionID) async -> RefundAnswer {
    let outcome = await ask(.refund(product: productID)) { _ in }
    guard case .refund(let answer) = outcome else { return .cancel }
    if case .request = answer {
      steps(.refundRequested, product: productID.rawValue, transaction: transactionID.rawValue)
    }
    return answer
  }

  /// Shows a prompt, and returns its outcome when the person has answered, or when it was withdrawn.
  ///
  /// - Parameters:
  ///   - report: reports the sheet; called after the sheet was added.
  ///   - added: called with the sheet's number after that.
  private func ask(
    _ prompt: StorePrompt, _ report: (StepReporter) -> Void, added: (Int) -> Void = { _ in }
  ) async -> SheetOutcome {
    await withCheckedContinuation { continuation in
      let number = state.withLock { state in
        let number = state.sheets.add(prompt)
        state.waiting[number] = continuation
        return number
      }
      report(steps)
      changed()
      added(number)
    }
  }

  /// Removes a sheet that is no longer needed.
  private func withdraw(_ number: Int) {
    let continuation = state.withLock { state in
      state.sheets.remove(number)
      return state.waiting.removeValue(forKey: number)
    }
    guard let continuation else { return }
    continuation.resume(returning: .read)
    changed()
  }
}
