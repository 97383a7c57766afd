import AppStoreEmulator
import HTTPTypes
import Hummingbird
import StoreModel
import WebSupport

/// The properties and functions with which all sections of the console make their pages.
struct ConsoleContext: Sendable {
  let store: EmulatedAppStore
  /// `http` or `https`.
  let scheme: String
  /// Whether the control API needs a token.
  let needsToken: Bool
  /// The origins whose pages may show the console in a frame.
  let framedBy: [String]

  /// Makes the `curl` commands beside forms, with the host name that `request` was sent to.
  func command(for request: Request) -> ShellCommand {
    ShellCommand(origin: "\(scheme)://\(request.head.authority ?? "localhost")", needsToken: needsToken)
  }

  func page(_ title: String, in section: ConsoleSection?, status: HTTPResponse.Status = .ok, _ main: HTML) -> Response {
    let frame = PageFrame(
      title: title, program: PageLink("App Store emulator", "/"),
      navigation: ConsoleSection.allCases.map { PageLink($0.title, $0.address, isCurrent: $0 == section) },
      live: "/console/live", stylesheets: [ConsoleAssets.stylesheet], scripts: [ConsoleAssets.script],
      tools: ConsoleTools.html, status: clockStatus, kind: "console")
    return .page(frame.page(main), status: status, framedBy: framedBy)
  }

  /// A page without navigation and without data of the store.
  func bare(_ title: String, status: HTTPResponse.Status, _ main: HTML) -> Response {
    let frame = PageFrame(
      title: title, program: PageLink("App Store emulator", "/"), stylesheets: [ConsoleAssets.stylesheet],
      scripts: [ConsoleAssets.script], kind: "console")
    return .page(frame.page(main), status: status, framedBy: framedBy)
  }

  private var clockStatus: HTML {
    let rate = store.clock.rate
    let clock = ClockHeader(date: ClockPage.running(store.clock.now, rate: rate), rate: rate)
    return "\(clock.html)\(signOut, if: needsToken)"
  }

  private var signOut: HTML {
    """
    <form class="sign-out" method="post" action="/console/sign-out"><button type="submit" class="button-plain">Sign out</button></form>
    """
  }

  /// Returns the page that `make` returns. If `make` throws an error that has a ``ConsoleRefusal``, returns a page with
  /// the refusal. Throws all other errors.
  func answering(in section: ConsoleSection?, _ make: () async throws -> Response) async throws -> Response {
    do {
      return try await make()
    } catch {
      guard let refusal = ConsoleRefusal(error) else { throw error }
      return refused(refusal, in: section)
    }
  }

  func refused(_ refusal: ConsoleRefusal, in section: ConsoleSection?) -> Response {
    page(
      refusal.status == .notFound ? "Not found" : "Not possible", in: section, status: refusal.status,
      """
      <h1>\(refusal.status == .notFound ? "Not found" : "Not possible")</h1>
      <p class="notice">\(refusal.text)</p>
      <p><a href="/">All transactions</a></p>
      """)
  }
}
