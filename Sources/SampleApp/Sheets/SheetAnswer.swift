import OpenStoreKit

/// What a person does with a sheet.
enum SheetAnswer: Hashable, Sendable {
  case signIn(account: String, password: String)
  case confirm
  /// Read.
  case acknowledge
  /// Also Escape.
  case cancel
}

/// What an answer means to who asked.
enum SheetOutcome: Hashable, Sendable {
  case signIn(SignInAnswer)
  case confirmation(ConfirmationAnswer)
  case read
}

/// Why an answer was not taken. The sheet stays.
enum SheetRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// It was answered already, or another one is before it.
  case notShown
  case noAccount
  /// The answer is to another kind of question.
  case notFitting

  var description: String {
    switch self {
    case .notShown: "This sheet is not shown any more. Look at the page as it is now."
    case .noAccount: "Type the name of the account."
    case .notFitting: "That is no answer to this sheet."
    }
  }
}
