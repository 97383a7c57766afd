extension ServerRefusal {
  /// The consequence of a refused redemption for the transaction.
  enum Meaning: Hashable, Sendable {
    /// The transaction stays in the queue, unfinished, and is redeemed again later. The customer has paid, and the
    /// cause may be temporary, or the developer can correct it.
    case keep
    /// The purchase grants nothing: the transaction is finished, and the app is notified.
    case nothingOwed

    /// Returns the meaning of a server's code. Documentation/purchase-kit.md, "What becomes of a server-delivered purchase",
    /// has a table.
    ///
    /// - Parameter isRestored: whether the purchase is restored. It was then paid for earlier, and can be restored again at
    ///   any time.
    /// - Returns: nil for a code that this version does not know.
    init?(code: String, isRestored: Bool) {
      switch code {
      case "refunded", "revoked": self = .nothingOwed
      case "claimedByAnotherCustomer", "namesAnotherCustomer": self = isRestored ? .nothingOwed : .keep
      // The receipt may be older than the purchase, or damaged.
      case "notInProof", "unreadableProof", "forgedProof": self = .keep
      // The client has asked twice, and the receipt may still be of the second in which the installation registered.
      case "proofNotNewer": self = .keep
      // The developer has not published the product yet, or published it with another type than the store's. This
      // applies to restored purchases as well.
      case "unknownProduct", "otherType", "otherProduct": self = .keep
      // The store has sold two purchases under one id. The operator has to look at it.
      case "otherPurchase": self = .keep
      // Bought in the sandbox by a person who is not listed as a tester.
      case "environmentNotAllowed": self = .keep
      case "unknownApp", "wrongApp", "wrongEnvironment", "kindNotAccepted", "accountNotFound": self = .keep
      case "storeUnavailable", "purchaseNotKnownYet", "misconfigured", "temporarilyUnavailable": self = .keep
      default: return nil
      }
    }
  }

  /// The consequence for the transaction. An unknown code never finishes a transaction.
  func meaning(isRestored: Bool) -> Meaning {
    isTemporary ? .keep : Meaning(code: code, isRestored: isRestored) ?? .keep
  }

  /// Whether the purchase was refunded, or revoked by an operator.
  var isRevocation: Bool { ["refunded", "revoked"].contains(code) }

  /// Whether the refusal is about the proof. The server may accept a newer receipt.
  public var isAboutProof: Bool { ["notInProof", "unreadableProof", "forgedProof", "proofNotNewer"].contains(code) }
}
