import Foundation
import OpenStoreKit
import StoreModel

/// A customer who is a person in front of a page: each question is a sheet that waits for an answer.
final class SheetCustomer: StoreCustomer, @unchecked Sendable {
  private let lock = NSLock()
  private var desk = SheetDesk()
  private var waiting: [Int: CheckedContinuation<SheetOutcome, Never>] = [:]
  private var account: String
  private let steps: StepTeller
  private let changed: @Sendable () -> Void

  /// - Parameters:
  ///   - account: what the sign-in sheet begins with; empty for nothing.
  ///   - changed: called when another sheet is shown, or none.
  init(account: String, steps: StepTeller, changed: @escaping @Sendable () -> Void) {
    self.account = account
    self.steps = steps
    self.changed = changed
  }

  // MARK: What the page does

  /// The sheet in front of the person; nil for none.
  var shown: SheetDesk.Sheet? { lock.withLock { desk.shown } }

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
    steps(.signInShown, words: refusal)
    let question = StoreQuestion.signIn(account: lock.withLock { account }, refusal: refusal)
    guard case .signIn(let answer) = await ask(question) else { return .cancel }
    return answer
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    steps(.confirmationShown, product: quote.payment.productID.rawValue, words: quote.totalText)
    guard case .confirmation(let answer) = await ask(.confirmation(quote)) else { return .cancel }
    if answer == .confirm { steps(.confirmed, product: quote.payment.productID.rawValue, words: quote.totalText) }
    return answer
  }

  func inform(_ notice: StoreNotice) async {
    switch notice {
    case .boughtBefore(let quote):
      steps(.boughtBefore, product: quote.payment.productID.rawValue)
      _ = await ask(.boughtBefore(quote))
    }
  }

  private func ask(_ question: StoreQuestion) async -> SheetOutcome {
    let outcome = await withCheckedContinuation { continuation in
      lock.withLock { waiting[desk.ask(question)] = continuation }
      changed()
    }
    return outcome
  }
}
