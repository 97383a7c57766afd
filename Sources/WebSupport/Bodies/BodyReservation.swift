import StoreModel

/// The part of a ``BodyBudget`` that one request holds until its response is sent.
package final class BodyReservation: Sendable {
  /// That of the request that the current task answers; nil where no budget applies.
  @TaskLocal package static var current: BodyReservation?

  /// A body that is still on its way after this time is refused. A connection that is silent is closed before.
  package static let longestSeconds: Int64 = 60

  private let budget: BodyBudget
  private let sender: String?
  private let begin: Int64
  /// In bytes.
  private let held = LockedValue(0)

  /// - Parameter sender: identifies the sender, who may hold a part of the budget only; nil where senders are not distinguished.
  package init(_ budget: BodyBudget, sender: String? = nil) {
    self.budget = budget
    self.sender = sender
    begin = budget.clock.nanoseconds
  }

  /// Holds `total` bytes in all.
  ///
  /// - Throws: ``ErrorResponse`` with 503 where the budget is used up, and 408 where the body takes too long.
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

  /// Refuses a body of so many bytes at once where there is no room for it now. Nothing is held for it: who announces
  /// much and sends little keeps nobody out.
  ///
  /// - Throws: ``ErrorResponse`` with 503.
  func checkRoom(for announced: Int) throws(ErrorResponse) {
    guard budget.hasRoom(for: announced, of: sender) else { throw Self.overloaded }
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
