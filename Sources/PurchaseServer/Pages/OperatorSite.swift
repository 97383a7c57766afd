import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import WebSupport

/// A section of the operator's pages, in the order of the navigation.
enum OperatorSection: PageSection {
  case customers, products, notifications, refundRequests, charts, webhooks, health, keys, audit

  var title: String {
    switch self {
    case .customers: "Customers"
    case .products: "Products"
    case .notifications: "Notifications"
    case .refundRequests: "Refund requests"
    case .charts: "Charts"
    case .webhooks: "Webhooks"
    case .health: "Health"
    case .keys: "Keys"
    case .audit: "Audit log"
    }
  }

  var key: String {
    switch self {
    case .customers: "c"
    case .products: "p"
    case .notifications: "n"
    case .refundRequests: "r"
    case .charts: "t"
    case .webhooks: "w"
    case .health: "h"
    case .keys: "k"
    case .audit: "a"
    }
  }

  var address: String {
    switch self {
    case .customers: OperatorSite.home
    case .products: OperatorAddress.products
    case .notifications: OperatorAddress.notifications
    case .refundRequests: OperatorAddress.refundRequests
    case .charts: OperatorAddress.charts
    case .webhooks: OperatorAddress.webhooks
    case .health: OperatorAddress.health
    case .keys: OperatorAddress.keys
    case .audit: OperatorAddress.audit
    }
  }
}

/// The operator's pages, at `/operator/`. Their forms call the operator's API with the session of the browser.
struct OperatorSite: PageSite {
  typealias Section = OperatorSection

  static let home = "/operator/"

  /// The operator who is signed in; nil for pages without a name.
  let identity: OperatorView?

  let program = PageLink("Purchase server", home)
  let path = "/operator"
  let api = ""
  let isLive = false
  let cookie: SessionCookie? = SessionCookie("openstorekit-operator", path: "/operator")
  let tokenVariable: String? = "KEY"
  let search = SiteSearch(
    scope: "All customers", label: "Look up a customer’s id or subject, or a transaction",
    placeholder: "Look up a customer")

  init(identity: OperatorView? = nil) { self.identity = identity }

  static let signIn = SignInText(
    explanation:
      "Give an operator’s key. The session ends after 12 hours, when you sign out, or when the key is revoked.",
    label: "Operator’s key", refusal: "That is not a valid key.", wrongOnes: "wrong keys")

  /// Whether a request is for the pages, or for their stylesheets and scripts.
  static func isPage(_ request: Request) -> Bool {
    let first = request.uri.path.split(separator: "/").first
    return first == "operator" || first == "assets"
  }

  /// The server itself speaks HTTP. A reverse proxy with TLS sets this header; it decides only about the `curl` commands on the
  /// caller's own page, and whether the caller's own cookie is sent over https only.
  func scheme(of request: Request) -> String {
    let isSecure =
      request.headers[.forwardedProto] == "https" || request.headers[.origin]?.hasPrefix("https://") == true
    return isSecure ? "https" : "http"
  }

  func status(_ calls: CallContext) -> HTML {
    guard let identity else { return "" }
    return "\(HTML.shortName(identity.name, limit: 40)) <span class=\"badge\">\(identity.role.rawValue)</span> "
  }

  func refusal(of error: any Error) -> PageRefusal? { (error as? ErrorResponse).map { PageRefusal($0) } }

  /// Whether the operator's role is sufficient for an endpoint. The API checks it again.
  func allows(_ endpoint: any EndpointWithRole) -> Bool { identity.map { $0.role >= endpoint.role } ?? false }
}

/// The sessions of operators' browsers, which the ledger stores. So all servers of a ledger accept them, and a key that is revoked
/// ends them.
struct OperatorAccess: SiteAccess {
  let ledger: Ledger
  let guesses: TokenGuesses

  func signIn(token: String, from address: NetworkAddress?) async throws -> String {
    try guesses.admit(address)
    do {
      return try await ledger.beginOperatorSession(BearerToken(text: token.trimmingCharacters(in: .whitespaces))).text
    } catch LedgerError.unknownOperatorKey {
      guesses.countWrong(from: address)
      throw SignInRefusal.wrongToken
    }
  }

  func admits(_ request: Request, cookie: String?, from address: NetworkAddress?) async throws -> Bool {
    // A cookie with a key is none of a session.
    guard let session = cookie.map({ BearerToken(text: $0) }), session.isOperatorSession else { return false }
    do {
      _ = try await ledger.authenticateOperator(session)
      return true
    } catch LedgerError.unknownOperatorKey { return false }
  }

  func end(_ cookie: String) async throws { try await ledger.endOperatorSession(BearerToken(text: cookie)) }
}

extension HTTPField.Name { fileprivate static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")! }
