import HTTPDoors
import Hummingbird
import SampleModel

/// Answers what is refused with its words.
struct RefusalWords<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as DoorRefusal {
      return refusal.response
    } catch let error as any HTTPResponseError {
      return DoorRefusal(error.status, "refused", "The app cannot do that: \(error.status.reasonPhrase).").response
    } catch {
      return DoorRefusal(.conflict, "refused", "\(error)").response
    }
  }
}
