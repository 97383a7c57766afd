import OpenStoreKit
import StoreModel

/// StoreKit's sheets. One is shown at a time, in the order in which they were added.
struct SheetQueue: Sendable {
  /// A prompt that is shown, or waits to be shown.
  struct Sheet: Hashable, Sendable {
    let number: Int
    let prompt: StorePrompt
  }

  private var sheets: [Sheet] = []
  private var lastNumber: Int

  /// - Parameter firstNumber: the number of the first sheet. Each launch uses another number. So a page that still
  ///   shows a sheet of an earlier launch cannot answer a new sheet.
  init(firstNumber: Int = 1) { lastNumber = firstNumber - 1 }

  /// The number of the next sheet that is added.
  var nextNumber: Int { lastNumber + 1 }

  /// The sheet that is shown to the person; nil if there is none.
  var shown: Sheet? { sheets.first }

  /// Adds a sheet at the end.
  ///
  /// - Returns: the sheet's number.
  mutating func add(_ prompt: StorePrompt) -> Int {
    lastNumber += 1
    sheets.append(Sheet(number: lastNumber, prompt: prompt))
    return lastNumber
  }

  /// Answers the sheet that is shown, and removes it.
  ///
  /// - Throws: ``SheetRefusal``; the sheet is still shown.
  mutating func answer(_ number: Int, _ answer: SheetAnswer) throws(SheetRefusal) -> SheetOutcome {
    guard let shown, shown.number == number else { throw .notShown }
    let outcome = try Self.outcome(of: answer, to: shown.prompt)
    sheets.removeFirst()
    return outcome
  }

  /// Removes a sheet that is no longer needed, if it was not answered yet.
  mutating func remove(_ number: Int) { sheets.removeAll { $0.number == number } }

  private static func outcome(
    of answer: SheetAnswer, to prompt: StorePrompt
  ) throws(SheetRefusal) -> SheetOutcome {
    switch (prompt, answer) {
    case (.signIn, .signIn(let account, let password)):
      guard !account.isEmpty else { throw .noAccount }
      let credentials = SignInCredentials(
        account: AccountName(account), password: password.isEmpty ? nil : password)
      return .signIn(.credentials(credentials))
    case (.signIn, .cancel): return .signIn(.cancel)
    case (.confirmation, .confirm): return .confirmation(.confirm)
    case (.confirmation, .cancel): return .confirmation(.cancel)
    case (.boughtBefore, .acknowledge), (.boughtBefore, .cancel), (.planChangeScheduled, .acknowledge),
      (.planChangeScheduled, .cancel), (.paymentsNotAllowed, .acknowledge), (.paymentsNotAllowed, .cancel),
      (.message, .acknowledge), (.message, .cancel):
      return .read
    case (.refund, .refund(let reason)): return .refund(.request(reason))
    case (.refund, .cancel): return .refund(.cancel)
    case (.waitingForStore, .cancel): return .waitCancelled
    case (.signIn, _), (.confirmation, _), (.boughtBefore, _), (.planChangeScheduled, _), (.paymentsNotAllowed, _),
      (.waitingForStore, _), (.refund, _), (.message, _):
      throw .notFitting
    }
  }
}
