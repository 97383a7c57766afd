import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The routes of the operator's pages.
struct OperatorPages: Sendable {
  let api: OperatorAPICaller
  /// The apps of the server.
  let apps: [BundleID]

  /// The maximum size of all forms in memory, in bytes.
  private static let formBytesAtOnce = 8 << 20

  /// - Parameters:
  ///   - ledger: stores the sessions.
  ///   - api: the router of the whole API.
  static func responder(
    ledger: Ledger, api: RouterResponder<ServiceContext>, clock: any MachineClock
  ) -> (SiteResponder<OperatorSite, OperatorAccess, ServiceContext>, routes: [ServedRoute]) {
    let router = OperatorPages(api: OperatorAPICaller(api: api), apps: ledger.bundleIDs).router()
    let responder = SiteResponder(
      site: OperatorSite(), access: OperatorAccess(ledger: ledger, guesses: TokenGuesses(clock: clock)),
      text: OperatorSite.signIn, pages: router.buildResponder())
    return (responder, router.servedRoutes)
  }

  private func router() -> Router<ServiceContext> {
    let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: BodyBudgetMiddleware(BodyBudget(limitBytes: Self.formBytesAtOnce)) { $0.caller.key })
    OperatorSite().assets.add(to: router)
    CallRoutes<OperatorSite, ServiceContext>(site: OperatorSite()) { [api] call, page, context in
      try await api.respond(to: call, for: page, context)
    }.add(to: router)
    let pages: [OperatorSection: [(path: String, make: PageMaker)]] = [
      .customers: CustomerPages.all, .products: ProductPages.all + OfferingPages.all,
      .notifications: NotificationPages.all, .refundRequests: ConsumptionPages.all, .charts: ChartPages.all,
      .webhooks: WebhookPages.all, .health: HealthPage.all, .keys: KeyPage.all, .audit: AuditPage.all,
    ]
    for (section, pages) in pages {
      for page in pages {
        router.get(RouterPath(page.path)) { request, context in
          try await answering(in: section, request, context, page.make)
        }
      }
    }
    return router
  }

  typealias PageMaker = @Sendable (OperatorPageRequest) async throws -> Response

  /// Returns a page for the operator who is signed in, or a page with the reason of a refusal.
  private func answering(
    in section: OperatorSection, _ request: Request, _ context: ServiceContext, _ make: PageMaker
  ) async throws -> Response {
    try await OperatorSite().answering(in: section, for: request) {
      let anonymous = OperatorPageRequest(
        request: request, context: context, site: OperatorSite(), section: section, api: api, apps: apps,
        query: try AddressQuery(request))
      let site = OperatorSite(identity: try await anonymous.answer(of: ServiceEndpoints.operatorSelf))
      return try await site.answering(in: section, for: request) { try await make(anonymous.signedIn(on: site)) }
    }
  }
}

/// A request for a page of the operator who is signed in.
struct OperatorPageRequest: Sendable {
  let request: Request
  let context: ServiceContext
  fileprivate(set) var site: OperatorSite
  let section: OperatorSection
  fileprivate let api: OperatorAPICaller
  /// The apps of the server.
  let apps: [BundleID]
  let query: AddressQuery

  func signedIn(on site: OperatorSite) -> OperatorPageRequest {
    var page = self
    page.site = site
    return page
  }

  /// What the forms of the page need.
  var calls: CallContext { site.calls(for: request) }

  /// The app in the address, or else the server's first app.
  var app: String { query["app"] ?? apps.first?.rawValue ?? "" }

  /// The number of rows of a list.
  ///
  /// - Throws: ``PageRefusal``.
  func rows() throws(PageRefusal) -> Int {
    Int(try query.number("rows", 1...Int64(ListEnd.largestPage)) ?? Int64(ListEnd.pageSize))
  }

  /// Returns the answer of an endpoint without a body.
  ///
  /// - Parameters:
  ///   - parameters: the values of the endpoint's path, in their order.
  ///   - query: the values of the endpoint's query.
  /// - Throws: ``PageRefusal`` if the API refuses the request.
  func answer<Path, Query, Body, Answer: Decodable>(
    of endpoint: OperatorEndpoint<Path, Query, Body, Answer>, _ parameters: String...,
    query: [(name: String, value: String?)] = []
  ) async throws -> Answer {
    try await api.answer(of: endpoint, parameters, query: AddressText.query(query), for: request, context)
  }

  func page(_ title: String, _ main: HTML) -> Response { site.page(title, in: section, for: request, main) }

  /// The choice of the app above a list; nothing if the server has one app.
  func appFilter() -> HTML {
    guard apps.count > 1 else { return "" }
    return FilterForm.choices("app", "App", apps.map { ($0.rawValue, $0.rawValue) }, chosen: app, any: nil)
  }
}

extension EndpointFields {
  /// The field for the reason of a change, which the audit log keeps. Programs may omit some reasons; a person gives one.
  var reason: FormField { field("reason", "Reason", hint: "For the audit log. No personal data.", isRequired: true) }
}
