import Foundation
import OpenStoreKit
import StoreModel

/// A customer who is a person in front of a page: each question is a sheet that waits for an answer.
final class SheetCustomer: StoreCustomer, @unchecked Sendable {
  private let lock = NSLock()
  private var desk: SheetDesk
  private var waiting: [Int: CheckedContinuation<SheetOutcome, Never>] = [:]
  private var account: String
  private let steps: StepTeller
  private let changed: @Sendable () -> Void

  /// - Parameters:
  ///   - account: what the sign-in sheet begins with; empty for nothing.
  ///   - firstSheet: the number of the first sheet, which no launch before has used.
  ///   - changed: called when another sheet is shown, or none.
  init(
    account: String, steps: StepTeller, firstSheet: Int = .random(in: 1...(1 << 52)),
    changed: @escaping @Sendable () -> Void
  ) {
    desk = SheetDesk(firstNumber: firstSheet)
    self.account = account
    self.steps = steps
    self.changed = changed
  }

  // MARK: What the page does

  /// The sheet in front of the person; nil for none.
  var shown: SheetDesk.Sheet? { lock.withLock { desk.shown } }

  var nextNumber: Int { lock.withLock { desk.nextNumber } }

  /// Gives a person's answer to whoever asked.
  func answer(_ number: Int, _ answer: SheetAnswer) throws(SheetRefusal) {
    let result = lock.withLock { () -> Result<() -> Void, SheetRefusal> in
      do throws(SheetRefusal) {
        let outcome = try desk.answer(number, answer)
        if case .signIn(.credentials(let credentials)) = outcome { account = credentials.account.rawValue }
        let continuation = waiting.removeValue(forKey: number)
        return .success({ continuation?.resume(returning: outcome) })
      } catch {
        return .failure(error)
      }
    }
    try result.get()()
    changed()
  }

  // MARK: What StoreKit asks

  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    var refusal: String?
    if case .refused(let words) = reason { refusal = words.message }
    let question = StoreQuestion.signIn(account: lock.withLock { account }, refusal: refusal)
    let outcome = await ask(question) { steps in steps(.signInShown, words: refusal) }
    guard case .signIn(let answer) = outcome else { return .cancel }
    return answer
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    let (product, total) = (quote.payment.productID.rawValue, quote.totalText)
    let outcome = await ask(.confirmation(quote)) { steps in
      steps(.confirmationShown, product: product, words: total)
    }
    guard case .confirmation(let answer) = outcome else { return .cancel }
    if answer == .confirm { steps(.confirmed, product: product, words: total) }
    return answer
  }

  func inform(_ notice: StoreNotice) async {
    switch notice {
    case .boughtBefore(let quote):
      _ = await ask(.boughtBefore(quote)) { steps in steps(.boughtBefore, product: quote.payment.productID.rawValue) }
    case .paymentsNotAllowed:
      _ = await ask(.paymentsNotAllowed) { _ in }
    }
  }

  /// - Parameter tell: called once the sheet is there.
  private func ask(_ question: StoreQuestion, _ tell: (StepTeller) -> Void) async -> SheetOutcome {
    await withCheckedContinuation { continuation in
      lock.withLock { waiting[desk.ask(question)] = continuation }
      tell(steps)
      changed()
    }
  }
}
