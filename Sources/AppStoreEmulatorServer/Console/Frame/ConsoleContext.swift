import AppStoreEmulator
import ControlAPI
import Hummingbird
import StoreModel
import WebSupport

/// The site of the console: the store, and the frame of the pages.
struct ConsoleContext: PageSite {
  typealias Section = ConsoleSection

  let store: EmulatedAppStore
  /// `http` or `https`.
  private let scheme: String
  /// Whether the control API needs a token.
  let needsToken: Bool
  let framedBy: [String]

  let program = PageLink("App Store emulator", "/")
  let path = "/console"
  let isLive = true
  let api = ControlEndpoints.basePath
  let stylesheets = [ConsoleAssets.stylesheet]
  let scripts = [ConsoleAssets.script]
  let search = SiteSearch(
    scope: "The whole store", label: "Look up a transaction, order, customer, product or installation",
    placeholder: "Look up an id or a name")
  let shortcuts = [(key: "r", title: "To the Refund button of a transaction")]

  init(store: EmulatedAppStore, scheme: String, needsToken: Bool, framedBy: [String]) {
    self.store = store
    self.scheme = scheme
    self.needsToken = needsToken
    self.framedBy = framedBy
  }

  /// The control API accepts the cookie as well.
  var cookie: SessionCookie? {
    needsToken ? SessionCookie("openstorekit-console", path: "/") : nil
  }

  var tokenVariable: String? { needsToken ? "OPENSTOREKIT_CONTROL_TOKEN" : nil }

  static let signIn = SignInText(
    explanation: "This emulator was started with a control token. Give it once; the session ends with the emulator.",
    label: "Control token", refusal: "That is not the control token.", wrongOnes: "wrong tokens")

  /// Whether the first part of a path belongs to the console. Nil stands for `/`.
  static func isConsole(_ api: Substring?) -> Bool { api == nil || api == "console" || api == "assets" }

  func scheme(of request: Request) -> String { scheme }

  /// The store's clock.
  func status(_ calls: CallContext) -> HTML {
    let rate = store.clock.rate
    return ClockHeader(date: ClockPage.running(store.clock.now, rate: rate), rate: rate, calls: calls).html
  }

  func refusal(of error: any Error) -> PageRefusal? {
    switch error {
    case let error as AppStoreEmulatorError:
      switch error {
      case .unknownApp, .unknownCustomer, .unknownInstallation, .unknownProduct, .unknownTransaction,
        .unknownSubscription, .unknownFault, .unknownRequest, .unknownNotification:
        PageRefusal(.notFound, error.description)
      default: PageRefusal(.conflict, error.description)
      }
    case let refusal as StoreRefusal: PageRefusal(.conflict, refusal.message)
    case let refusal as ErrorResponse: PageRefusal(refusal)
    default: nil
    }
  }
}
