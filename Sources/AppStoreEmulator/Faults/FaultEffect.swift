import StoreModel

/// What a fault does to a request, from its arrival to its end.
public struct FaultEffect: Sendable {
  public enum Wait: Hashable, Sendable {
    case none
    /// Until the fault is released or removed.
    case untilReleased
    case milliseconds(Int)
  }

  /// What the store does with the request.
  public enum Action: Sendable {
    /// The request is carried out.
    case proceed
    /// The request fails with this error. A confirmation's refusal is decided, and remembered, like any other.
    case fail(any Error)
    /// The request fails for the moment, as its API says so: `temporarilyUnavailable`, or HTTP 503.
    case unavailable
    /// The request gets this answer and is not carried out. An answer of another type than the request's is ignored.
    case answer(any Sendable)
    /// Nothing is done.
    case drop
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
  public var action = Action.proceed
  public var waitAfter = Wait.none
  public var ending = Ending.answer

  public init(
    waitBefore: Wait = .none, action: Action = .proceed, waitAfter: Wait = .none, ending: Ending = .answer
  ) {
    self.waitBefore = waitBefore
    self.action = action
    self.waitAfter = waitAfter
    self.ending = ending
  }
}
