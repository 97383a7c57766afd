import Foundation
import Hummingbird

/// How many bytes of requests' bodies a server holds at a time, over all requests.
package final class BodyBudget: @unchecked Sendable {
  /// Bodies up to this size are always admitted: those who send large ones keep nobody from small requests.
  package static let smallBodyBytes = 16 << 10

  private let lock = NSLock()
  private let limitBytes: Int
  private var held = 0

  package init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// In bytes.
  package var heldBytes: Int { lock.withLock { held } }

  fileprivate func hasRoom(for count: Int) -> Bool {
    lock.withLock { count <= Self.smallBodyBytes || held + count <= limitBytes }
  }

  /// False where the budget is used up; nothing is held then.
  fileprivate func hold(_ count: Int, of total: Int) -> Bool {
    lock.withLock {
      guard total <= Self.smallBodyBytes || held + count <= limitBytes else { return false }
      held += count
      return true
    }
  }

  fileprivate func release(_ count: Int) { lock.withLock { held -= count } }
}

/// What one request holds of a ``BodyBudget``, until it is answered.
package final class BodyReservation: @unchecked Sendable {
  /// That of the request that the current task answers; nil where no budget applies.
  @TaskLocal package static var current: BodyReservation?

  private let budget: BodyBudget
  private let lock = NSLock()
  private var held = 0

  package init(_ budget: BodyBudget) { self.budget = budget }

  /// Holds `total` bytes in all.
  ///
  /// - Throws: ``DoorRefusal`` with 503 where the budget is used up.
  func hold(_ total: Int) throws(DoorRefusal) {
    let isHeld = lock.withLock {
      guard total > held else { return true }
      guard budget.hold(total - held, of: total) else { return false }
      held = total
      return true
    }
    guard isHeld else { throw Self.overloaded }
  }

  /// Refuses a body of so many bytes at once where there is no room for it now. Nothing is held for it: who announces
  /// much and sends little keeps nobody out.
  ///
  /// - Throws: ``DoorRefusal`` with 503.
  func checkRoom(for announced: Int) throws(DoorRefusal) {
    guard budget.hasRoom(for: announced) else { throw Self.overloaded }
  }

  private static var overloaded: DoorRefusal {
    DoorRefusal(
      .serviceUnavailable, "overloaded", "The server is busy with other large requests. Send it again.",
      headers: [.retryAfter: "2"])
  }

  package func release() {
    lock.withLock {
      budget.release(held)
      held = 0
    }
  }
}

/// Counts the bodies that requests of a router send against a budget.
package struct BodyBudgetMiddleware<Context: RequestContext>: RouterMiddleware {
  private let budget: BodyBudget

  package init(_ budget: BodyBudget) { self.budget = budget }

  package func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let reservation = BodyReservation(budget)
    defer { reservation.release() }
    return try await BodyReservation.$current.withValue(reservation) { try await next(request, context) }
  }
}
