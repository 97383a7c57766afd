import WebSupport
import Hummingbird
import PurchaseLedger

/// All endpoints of the server.
struct ServiceRoutes: Sendable {
  let ledger: Ledger
  let verifier: ProofVerifier
  let content: any ContentStore
  let links: DownloadLinkSigner
  let identity: CustomerIdentity?
  let configuration: PurchaseService.Configuration
  let metrics: ServiceMetrics
  let backUp: (@Sendable () async throws -> String)?
  let standing: ServiceStatus
  let presence: RequestPresence
  let tokens: RecognisedTokens
  let questions: VerificationRates
  let installations: RateLimiter
  let readiness: Readiness

  private var customers: CustomerAuthentication { CustomerAuthentication(ledger: ledger, identity: identity, tokens: tokens) }
  private var operators: OperatorAuthentication { OperatorAuthentication(ledger: ledger, tokens: tokens) }

  /// Verifies a token, so that further requests with it count for its holder.
  func recognise(_ token: String) async {
    do {
      if token.hasPrefix("operator_") {
        _ = try await operators.identity(token: token)
      } else {
        _ = try await customers.claimant(token: token)
      }
    } catch {
      // If the token is refused or cannot be verified now, its requests count for the address.
    }
  }

  func router() -> Router<ServiceContext> {
    let presenter = ContentPresenter(
      ledger: ledger, content: content, links: links, inlineLimitBytes: configuration.inlineLimitBytes)
    let (customers, operators) = (customers, operators)
    let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    router.add(
      middleware: BodyBudgetMiddleware(BodyBudget(limitBytes: configuration.limits.bodyBytesAtOnce)) { $0.caller.key })
    router.get("/openapi.json") { _, _ in ServiceDescription.response }
    WatchRoutes(
      operators: operators, metrics: metrics, standing: standing, presence: presence, readiness: readiness
    ).add(to: router)
    DownloadRoutes(
      responder: DownloadResponder(
        content: content, links: links, limits: configuration.downloads,
        count: { [metrics] in metrics.downloadedBytes.add($0) }, lookup: { try await presenter.standing(of: $0) })
    ).add(to: router)
    let app = router.group("/v1/apps/{bundleId}")
    CatalogRoutes(ledger: ledger).add(to: app)
    CustomerRoutes(ledger: ledger, door: customers, installations: installations).add(to: app)
    RedemptionRoutes(
      ledger: ledger, verifier: verifier, door: customers, questions: questions, content: presenter, metrics: metrics
    ).add(to: app)
    OwnershipRoutes(ledger: ledger, door: customers, content: presenter).add(to: app)
    let operating = router.group("/v1/operator")
    OperatorCatalogRoutes(
      ledger: ledger, door: operators, content: content, uploadLimitBytes: configuration.limits.uploadLimitBytes
    ).add(to: operating)
    OperatorCustomerRoutes(ledger: ledger, door: operators).add(to: operating)
    OperatorKeyRoutes(ledger: ledger, door: operators, backUp: backUp).add(to: operating)
    return router
  }
}
