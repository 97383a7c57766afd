extension ServerRefusal {
  /// What a refusal to redeem means for the transaction.
  enum Meaning: Hashable, Sendable {
    /// Tried again by itself: the server or the store cannot say just now.
    case askAgain
    /// It stays in the queue, and the customer is told: it is paid for, and somebody can do something about it.
    case keep
    /// Nothing is owed: the transaction is finished, and the customer is told.
    case nothingOwed
  }

  /// - Parameter isRestored: what is only brought back was paid for elsewhere, and can be brought back again at any time.
  func meaning(isRestored: Bool) -> Meaning {
    if isTemporary { return .askAgain }
    if isTakenBack { return .nothingOwed }
    switch code {
    case "claimedByAnotherCustomer", "namesAnotherCustomer": return isRestored ? .nothingOwed : .keep
    default: return .keep
    }
  }

  /// Whether the money went back, or an operator took it back.
  var isTakenBack: Bool { ["refunded", "revoked"].contains(code) }

  /// Whether a newer receipt may be better.
  var isAboutProof: Bool { ["notInProof", "unreadableProof", "forgedProof"].contains(code) }
}
