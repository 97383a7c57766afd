extension ServerRefusal {
  /// What a refusal to redeem means for the transaction.
  enum Meaning: Hashable, Sendable {
    /// It stays in the queue, unfinished, and is asked for again: it is paid for, and time or somebody can put it right.
    case keep
    /// Nothing is owed: the transaction is finished, and the customer is told.
    case nothingOwed

    /// Of the codes that a purchase server has: Documentation/purchase-kit.md, "What becomes of a server-delivered purchase".
    ///
    /// - Parameter isRestored: what is only brought back was paid for elsewhere, and can be brought back again at any time.
    /// - Returns: nil for a code that this version does not know.
    init?(code: String, isRestored: Bool) {
      switch code {
      case "refunded", "revoked": self = .nothingOwed
      case "claimedByAnotherCustomer", "namesAnotherCustomer": self = isRestored ? .nothingOwed : .keep
      // A receipt may be older than the purchase, or damaged.
      case "notInProof", "unreadableProof", "forgedProof": self = .keep
      // The developer has not published the product yet, or otherwise than the store has it; also of what is restored.
      case "unknownProduct", "otherType", "otherProduct": self = .keep
      // It was bought in the sandbox, by somebody who is not listed as a tester.
      case "environmentNotAllowed": self = .keep
      case "unknownApp", "wrongApp", "wrongEnvironment", "kindNotAccepted", "accountNotFound": self = .keep
      case "storeUnavailable", "misconfigured", "temporarilyUnavailable": self = .keep
      default: return nil
      }
    }
  }

  /// What it means for the transaction. Nothing is finished for a reason that nobody here understands.
  func meaning(isRestored: Bool) -> Meaning {
    isTemporary ? .keep : Meaning(code: code, isRestored: isRestored) ?? .keep
  }

  /// Whether the money went back, or an operator took it back.
  var isTakenBack: Bool { ["refunded", "revoked"].contains(code) }

  /// Whether a newer receipt may be better.
  public var isAboutProof: Bool { ["notInProof", "unreadableProof", "forgedProof"].contains(code) }
}
