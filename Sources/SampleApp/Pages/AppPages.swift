import Foundation
import HTTPTypes
import Hummingbird
import SampleModel
import WebSupport

/// The app's pages: the content that the phone's page frames, and the actions of its buttons.
package struct AppPages: Sendable {
  let app: RunningApp
  let face: AppFace

  @MainActor
  package init(_ app: RunningApp) {
    self.app = app
    face = AppFace(app)
  }

  package func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: RefusalMiddleware())
    router.get("app/fragment") { request, _ in try await fragment(request) }
    router.get("app/photograph") { _, _ in try await photograph() }
    addPurchases(to: router)
    addPhotograph(to: router)
    addBooks(to: router)
    return router
  }

  // MARK: Content

  private func fragment(_ request: Request) async throws -> Response {
    let query = request.uri.queryParameters
    let screen = query["screen"].flatMap { AppScreen(rawValue: String($0)) } ?? .home
    let (file, page) = (query["file"].flatMap { Int($0) } ?? 0, query["page"].flatMap { Int($0) } ?? 1)
    return try .json(await fragment(of: screen, file: file, page: page))
  }

  /// Returns the HTML of a screen, and of the sheet or alert over it.
  @MainActor
  package func fragment(of screen: AppScreen, file: Int = 0, page: Int = 1) async throws -> AppFragment {
    let html: HTML
    switch screen {
    case .credits: html = try face.credits().html
    case .filters: html = try face.filters().html
    case .books: html = try await face.books(file: file, page: page).html
    case .home, .settings: html = .empty
    }
    let sheet = face.sheet(over: screen)?.html ?? face.alert(over: screen)?.html ?? .empty
    return AppFragment(screen: html.text, sheet: sheet.text)
  }
}

/// Answers errors with their description.
struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as ErrorResponse {
      return refusal.response
    } catch let error as any HTTPResponseError {
      return ErrorResponse(error.status, "refused", "The app cannot do that: \(error.status.reasonPhrase).").response
    } catch {
      return ErrorResponse(.conflict, "refused", "\(error)").response
    }
  }
}
