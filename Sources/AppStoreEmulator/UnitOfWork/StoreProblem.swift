import StoreModel

/// A problem of the store that belongs to no call, and so cannot be returned as an error.
public enum StoreProblem: Hashable, Sendable, CustomStringConvertible {
  /// A row that was due could not be settled. It was postponed, or no longer waits for a date.
  ///
  /// - Parameters:
  ///   - kind: the rule that settles such rows, such as `InterruptedPurchases`.
  ///   - due: the date at which the row was due.
  case postponed(_ kind: String, due: StoreDate, reason: String)
  /// An interrupted purchase that should have gone on is given up. Nothing is charged.
  case interruptedPurchaseGivenUp(InstallationID, PaymentID, reason: String)

  public var description: String {
    switch self {
    case .postponed(let kind, let due, let reason):
      "A row of \(kind), due at \(due), could not be settled and waits for its next occasion: \(reason)"
    case .interruptedPurchaseGivenUp(let installation, let payment, let reason):
      "The interrupted purchase \(payment) of the installation \(installation) is given up, and nothing is charged: \(reason)"
    }
  }
}
