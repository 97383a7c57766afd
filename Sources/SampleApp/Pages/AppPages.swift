import Foundation
import HTTPTypes
import Hummingbird
import PurchaseKit
import SampleModel
import WebSupport

/// The app's pages: the content that the phone's page shows, and the actions of its buttons.
package struct AppPages: Sendable {
  let app: RunningApp
  let presenter: AppPresenter

  @MainActor
  package init(_ app: RunningApp) {
    self.app = app
    presenter = AppPresenter(app)
  }

  package func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: RefusalMiddleware())
    router.get("app/fragment") { request, _ in try await fragment(request) }
    router.get("app/photograph") { _, _ in try await photograph() }
    addPurchases(to: router)
    addPhotograph(to: router)
    addBooks(to: router)
    addClub(to: router)
    return router
  }

  // MARK: Commands

  /// Adds a route for a form. The route carries out the form's command, and redirects to the form's screen.
  ///
  /// A command that takes time is only started; the screen shows its progress.
  func onCommand<Form: ScreenForm>(
    _ path: RouterPath, of form: Form.Type, in router: Router<BasicRequestContext>,
    _ command: @escaping @Sendable (Form) throws -> AppCommand
  ) {
    router.post(path) { request, _ in
      let form = try await request.form(Form.self)
      return try await perform(command(form), showing: form.screen)
    }
  }

  /// Adds a route for a button without fields.
  func onCommand(
    _ path: RouterPath, _ command: AppCommand, showing screen: AppScreen, in router: Router<BasicRequestContext>
  ) {
    router.post(path) { _, _ in try await perform(command, showing: screen) }
  }

  private func perform(_ command: AppCommand, showing screen: AppScreen) async throws -> Response {
    if command.takesTime { await app.performReporting(command) } else { try await app.perform(command) }
    return Response.seeOther(screen.address)
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
    case .credits: html = try presenter.credits().html
    case .filters: html = try presenter.filters().html
    case .books: html = try await presenter.books(file: file, page: page).html
    case .club:
      await app.refreshSubscriptions()
      html = try presenter.club().html
    case .subscriptions:
      await app.refreshSubscriptions()
      html = presenter.subscriptions().html
    case .purchases:
      await app.refreshPurchases()
      html = presenter.purchases().html
    case .appStore:
      await app.refreshAppStore()
      html = presenter.appStore().html
    case .home, .settings: html = .empty
    }
    let sheet =
      presenter.sheet(over: screen)?.html ?? presenter.question(over: screen)?.html
      ?? presenter.alert(over: screen)?.html ?? .empty
    return AppFragment(screen: html.text, sheet: sheet.text)
  }
}

/// A form with the field `screen`: the screen on which the form is shown.
protocol ScreenForm: Decodable, Sendable {
  var screen: AppScreen { get }
}

/// The form of a button beside a product.
struct ProductForm: ScreenForm {
  let screen: AppScreen
  let product: String
  let quantity: Int?
}

/// Answers errors with their text for the customer, which names no product identifiers.
struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as ErrorResponse {
      return refusal.response
    } catch let error as AppCommandError {
      let code = error == .noServer ? "noServer" : "noSuchProduct"
      return ErrorResponse(.notFound, code, error.description).response
    } catch let error as any HTTPResponseError {
      return ErrorResponse(error.status, "refused", "The app cannot do that: \(error.status.reasonPhrase).").response
    } catch {
      let text = error.purchaseAlert(SampleCatalog.customerNames) ?? "\(error)"
      return ErrorResponse(.conflict, "refused", text).response
    }
  }
}

// The forms of the books screen.
extension AppPages {
  func addBooks(to router: Router<BasicRequestContext>) {
    onCommand("app/books/download", of: ProductForm.self, in: router) { .download(product: $0.product) }
    onCommand("app/books/pause", of: ProductForm.self, in: router) { .pauseDownload(product: $0.product) }
    onCommand("app/books/open", of: ProductForm.self, in: router) { .openBook(product: $0.product) }
    onCommand("app/books/close", .closeBook, showing: .books, in: router)
    onCommand("app/books/refresh", .refreshBooks, showing: .books, in: router)
  }
}
