import Hummingbird

/// Limits the request bodies of a router by a budget.
package struct BodyBudgetMiddleware<Context: RequestContext>: RouterMiddleware {
  private let budget: BodyBudget
  private let sender: @Sendable (Context) -> String?

  /// - Parameter sender: identifies the sender of a request; nil if senders are not distinguished.
  package init(_ budget: BodyBudget, sender: @escaping @Sendable (Context) -> String? = { _ in nil }) {
    self.budget = budget
    self.sender = sender
  }

  package func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let reservation = BodyReservation(budget, sender: sender(context))
    defer { reservation.release() }
    return try await BodyReservation.$current.withValue(reservation) { try await next(request, context) }
  }
}
