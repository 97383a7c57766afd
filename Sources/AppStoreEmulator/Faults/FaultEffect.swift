import SignedData
import StoreModel

/// What a fault does to a request.
public struct FaultEffect: Sendable {
  public enum Wait: Hashable, Sendable {
    case none
    /// Waits until the fault is released or removed.
    case untilReleased
    case milliseconds(Int)
  }

  /// The store's action on the request.
  public enum Action: Sendable {
    /// The store carries out the request.
    case proceed
    /// The request fails with this error. If it refuses a confirmation, the refusal is stored as the payment's outcome.
    case fail(any Error)
    /// The request fails temporarily, with the error of its API: `temporarilyUnavailable`, or HTTP 503.
    case unavailable
    /// The request gets the answer that this makes, without being carried out. If the request has another type of
    /// answer, the store carries it out as usual.
    case answer(@Sendable (RequestMetadata) -> any Sendable)
    /// The store does not carry out the request.
    case drop
  }

  public enum Ending: Hashable, Sendable {
    /// The result is sent as the answer.
    case answer
    /// The connection is reset without an answer.
    case reset
    /// The store cannot be reached. Over HTTP, a connection exists already, so it is reset.
    case unreachable
  }

  public var waitBefore = Wait.none
  public var action = Action.proceed
  public var waitAfter = Wait.none
  public var ending = Ending.answer
  /// The validity of the leaf certificates with which the store signs while it carries out the request.
  public var leaf = LeafValidity.valid

  public init(
    waitBefore: Wait = .none, action: Action = .proceed, waitAfter: Wait = .none, ending: Ending = .answer,
    leaf: LeafValidity = .valid
  ) {
    self.waitBefore = waitBefore
    self.action = action
    self.waitAfter = waitAfter
    self.ending = ending
    self.leaf = leaf
  }
}
