import StoreModel

/// What a fault does to a request, from its arrival to its end.
public struct FaultEffect: Hashable, Sendable {
  public enum Wait: Hashable, Sendable {
    case none
    /// Until the fault is released or removed.
    case untilReleased
    case milliseconds(Int)
  }

  /// What becomes of what was asked.
  public enum Conduct: Hashable, Sendable {
    /// It is done.
    case asUsual
    /// It is refused. A confirmation's refusal is decided, and remembered, like any other.
    case refuse(StoreRefusal)
    /// It is refused for the moment: as `temporarilyUnavailable`, or by `verifyReceipt` with HTTP 503.
    case unavailable
    /// `verifyReceipt` answers with this status, and nothing else.
    case status(VerifyReceiptStatus, isRetryable: Bool?)
    /// `verifyReceipt` answers with this HTTP status, and nothing else.
    case serverError(Int)
    /// Nothing is done.
    case nothing
  }

  public enum Ending: Hashable, Sendable {
    /// What came of it is answered.
    case answer
    /// The connection is reset, without a word of what came of it.
    case reset
    /// There is no connection. Over HTTP there is one already, so it is reset.
    case unreachable
  }

  public var waitBefore = Wait.none
  public var conduct = Conduct.asUsual
  public var waitAfter = Wait.none
  public var ending = Ending.answer

  public init(
    waitBefore: Wait = .none, conduct: Conduct = .asUsual, waitAfter: Wait = .none, ending: Ending = .answer
  ) {
    self.waitBefore = waitBefore
    self.conduct = conduct
    self.waitAfter = waitAfter
    self.ending = ending
  }
}
