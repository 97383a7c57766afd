import StoreModel

/// The part of a ``BodyBudget`` that one request holds until its response is sent.
package final class BodyReservation: Sendable {
  /// The reservation of the request that the current task handles; nil if no budget applies.
  @TaskLocal package static var current: BodyReservation?

  /// The time after which an incomplete body is refused, in seconds. Idle connections are closed separately, by the
  /// server's idle timeout.
  package static let longestSeconds: Int64 = 60

  private let budget: BodyBudget
  private let sender: String?
  private let begin: Int64
  /// The number of reserved bytes.
  private let held = LockedValue(0)

  /// - Parameter sender: identifies the sender, who may hold only a part of the budget; nil if senders are not
  ///   distinguished.
  package init(_ budget: BodyBudget, sender: String? = nil) {
    self.budget = budget
    self.sender = sender
    begin = budget.clock.nanoseconds
  }

  /// Increases the reservation to `total` bytes.
  ///
  /// - Throws: ``ErrorResponse`` with status 503 if the budget is used up, or 408 if the body takes too long.
  func hold(_ total: Int) throws(ErrorResponse) {
    guard budget.clock.nanoseconds - begin <= Self.longestSeconds * 1_000_000_000 else {
      throw ErrorResponse(.requestTimeout, "tooSlow", "The body took longer than \(Self.longestSeconds) seconds.")
    }
    let isHeld = held.withLock { held in
      guard total > held else { return true }
      guard budget.hold(total - held, of: total, by: sender) else { return false }
      held = total
      return true
    }
    guard isHeld else { throw Self.overloaded }
  }

  /// Refuses an announced body if the remaining budget is too small for it. Nothing is reserved, so that a client that
  /// announces a large body and sends little does not block others.
  ///
  /// - Throws: ``ErrorResponse`` with status 503.
  func checkCapacity(for announced: Int) throws(ErrorResponse) {
    guard budget.hasCapacity(for: announced, of: sender) else { throw Self.overloaded }
  }

  package func release() {
    held.withLock { held in
      budget.release(held, by: sender)
      held = 0
    }
  }

  private static var overloaded: ErrorResponse {
    ErrorResponse(
      .serviceUnavailable, "overloaded", "The server is busy with other large requests. Send it again.",
      headers: [.retryAfter: "2"])
  }
}
