import DurableSQLite
import HTTPDoors
import Hummingbird

/// Answers what a phone does not do with its words.
struct PhoneRefusals<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as PhoneRefusal {
      throw DoorRefusal(.conflict, "refused", "\(refusal)")
    } catch let error as DurableSQLiteError {
      throw DoorRefusal(.internalServerError, "notKept", "\(error)")
    } catch let error as any HTTPResponseError {
      throw DoorRefusal(error.status, "refused", "This phone cannot do that: \(error.status.reasonPhrase).")
    }
  }
}
