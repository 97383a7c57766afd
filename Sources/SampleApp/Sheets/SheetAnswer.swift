import OpenStoreKit
import StoreModel

/// A person's answer to a sheet.
enum SheetAnswer: Hashable, Sendable {
  case signIn(account: String, password: String)
  case confirm
  /// The person has read a notice.
  case acknowledge
  /// The person requests the refund.
  case refund(RefundReason)
  /// The person pressed Cancel or Escape.
  case cancel
}

/// The result of a sheet, for the caller that waits for it.
enum SheetOutcome: Hashable, Sendable {
  case signIn(SignInAnswer)
  case confirmation(ConfirmationAnswer)
  case refund(RefundAnswer)
  case waitCancelled
  /// The person has closed an alert, or the sheet was withdrawn.
  case read
}

/// Thrown when an answer is not accepted. The sheet that is shown stays.
enum SheetRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sheet was answered already, or is behind another one.
  case notShown
  case noAccount
  /// The answer belongs to another kind of sheet.
  case notFitting

  var description: String {
    switch self {
    case .notShown: "This sheet is no longer shown. The page shows the current state."
    case .noAccount: "Type the name of the account."
    case .notFitting: "This answer does not belong to the sheet."
    }
  }
}
