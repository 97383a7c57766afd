import DurableSQLite
import Foundation
import HTTPTypes
import Hummingbird
import SampleApp
import WebSupport

/// The pages of a phone.
struct DevicePages: Sendable {
  let phone: Phone
  let app: AppConnection
  /// The origins whose pages may show the phone's page in a frame.
  let framedBy: [String]

  /// Returns the routes. Documentation/pages.md describes them in "Programs".
  func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: LocalOriginMiddleware(program: "device"))
    router.add(middleware: PhoneRefusals())
    router.get("/") { request, _ in try await page(request) }
    router.get("live") { request, _ in try Response.liveStream(phone.signal, for: request) }
    router.get("steps") { request, _ in try steps(request) }
    router.get("app/photograph") { request, _ in try await pass(request) }
    // Without this route, a POST to `app/photograph` would find only the GET route above, and not `app/**`.
    router.post("app/photograph") { request, _ in try await pass(request) }
    router.post("app/**") { request, _ in try await pass(request) }
    addSettings(to: router)
    PageAssets([PhoneView.stylesheet]).add(to: router)
    return router
  }

  // MARK: Showing

  private func page(_ request: Request) async throws -> Response {
    let query = request.uri.queryParameters
    let asked = query["screen"].flatMap { AppScreen(rawValue: String($0)) }
    let state = await phone.state
    let screen = asked ?? (state.hasPages ? .credits : .home)
    var fragment: AppFragment?
    var failure: PhoneMessage?
    if state.hasPages {
      do {
        fragment = try await app.fragment(
          of: screen, file: query["file"].map(String.init), page: query["page"].map(String.init))
      } catch {
        // The app may have been killed meanwhile. If it still runs, the message shows that it does not answer, so that
        // the owner can end it.
        if await phone.state.hasPages {
          failure = .bad("\((error as? PhoneRefusal)?.description ?? "The app does not answer: \(error)")")
        }
      }
    }
    let view = await view(screen, fragment, failure)
    return .page(view.html, framedBy: framedBy)
  }

  func view(
    _ screen: AppScreen, _ fragment: AppFragment?, _ failure: PhoneMessage?
  ) async -> PhoneView {
    let state = await phone.state
    let current = await phone.message
    var (message, backups) = (failure ?? current, [String]())
    do {
      backups = try phone.folder.backups()
    } catch {
      // This error occurs again when the page is next rendered, so it does not replace a message that is shown only
      // once.
      message = message ?? .bad("\(error)")
    }
    let settings = SettingsView(
      state: state, settings: await phone.settings, message: message, backups: backups,
      isBackingUp: await phone.backupUnderWay != nil, deletionQuestion: await phone.deletionQuestion,
      refusedSignIns: await phone.refusedSignIns, hasServer: phone.network.server != nil, screen: screen)
    return PhoneView(
      name: phone.network.name, screen: screen, state: state, settings: settings, fragment: fragment,
      steps: StepsView(entries: phone.steps.all))
  }

  private func steps(_ request: Request) throws -> Response {
    let last = request.headers[HTTPField.Name("Last-Event-ID")!].flatMap { Int($0) } ?? 0
    guard let news = phone.steps.news(after: last) else {
      throw ErrorResponse(
        .serviceUnavailable, "tooManyPages", "Too many pages are connected to the steps. Close some of them.")
    }
    let events = news.stream.map { news in
      switch news {
      case .step(let entry): try Self.event("step", entry, id: entry.number)
      case .prompt(let prompt): try Self.event("prompt", prompt)
      }
    }
    return try .events(events, for: request, end: news.end)
  }

  private static func event(_ name: String, _ value: some Encodable, id: Int? = nil) throws -> ServerSentEvent {
    ServerSentEvent(name: name, data: String(decoding: try Response.encoder().encode(value), as: UTF8.self), id: id)
  }

  // MARK: Passing on

  private func pass(_ request: Request) async throws -> Response {
    guard await phone.state.hasPages else { throw PhoneRefusal.notRunning }
    do {
      return try await app.pass(request)
    } catch let error as any HTTPResponseError {
      throw error
    } catch let refusal as ErrorResponse {
      throw refusal
    } catch {
      guard await phone.state.hasPages else { throw PhoneRefusal.notRunning }
      throw ErrorResponse(.badGateway, "appFailed", "The app did not answer: \(error)")
    }
  }
}

/// Translates the errors of a phone's pages into HTTP errors. Refusals and disk errors keep their text.
struct PhoneRefusals<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as PhoneRefusal {
      throw ErrorResponse(.conflict, "refused", "\(refusal)")
    } catch let error as DurableSQLiteError {
      throw ErrorResponse(.internalServerError, "notKept", "\(error)")
    } catch let error as any HTTPResponseError {
      throw ErrorResponse(error.status, "refused", "This phone cannot do that: \(error.status.reasonPhrase).")
    }
  }
}
