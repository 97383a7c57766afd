import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

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
  let status: ServiceStatus
  let presence: RequestPresence
  let tokens: RecognisedTokens
  /// The rate of each caller.
  let callers: RateLimiter
  let verificationRates: VerificationRates
  let installations: RateLimiter
  let notificationAllowance: NotificationAllowance
  let readiness: Readiness
  let clock: any MachineClock
  /// Updates the clock that decides whether access has expired; nil if it needs no update.
  let refreshClock: (@Sendable () async -> Void)?

  private var customers: CustomerAuthentication {
    CustomerAuthentication(ledger: ledger, identity: identity, tokens: tokens)
  }
  private var operators: OperatorAuthentication { OperatorAuthentication(ledger: ledger, tokens: tokens) }

  /// Verifies a token. If the token is valid, further requests with it count for its holder.
  func recognise(_ token: String) async {
    do {
      if BearerToken(text: token).isOperators {
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
    let check = ReadinessCheck(readiness: readiness, status: status)
    let exports = CustomerExports(
      ledger: ledger, rates: callers, tokens: tokens, limits: configuration.downloads, clock: clock)
    let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    router.add(
      middleware: BodyBudgetMiddleware(BodyBudget(limitBytes: configuration.limits.bodyBytesAtOnce)) { $0.caller.key })
    if let refreshClock { router.add(middleware: ClockMiddleware(refresh: refreshClock)) }
    let description = MadeOnce<Data>()
    router.serve(raw: ServiceEndpoints.description) { _, _ in
      .json(try description.value { try ServiceEndpoints.openAPI() })
    }
    MonitoringRoutes(
      operators: operators, metrics: metrics, status: status, presence: presence, readiness: check
    ).add(to: router)
    DownloadRoutes(
      responder: DownloadResponder(
        content: content, links: links, limits: configuration.downloads,
        count: { [metrics] in metrics.countDownloaded(bytes: $0) }, lookup: { try await presenter.status(of: $0) })
    ).add(to: router)
    CatalogRoutes(ledger: ledger).add(to: router)
    CustomerRoutes(
      ledger: ledger, authentication: customers, installations: installations, exports: exports
    ).add(to: router)
    RedemptionRoutes(
      ledger: ledger, verifier: verifier, authentication: customers, verificationRates: verificationRates,
      content: presenter, metrics: metrics, clock: clock
    ).add(to: router)
    let notifications = NotificationReceiver(ledger: ledger, verifier: verifier, metrics: metrics, clock: clock)
    NotificationRoutes(receiver: notifications, allowance: notificationAllowance).add(to: router)
    CustomerStateRoutes(ledger: ledger, authentication: customers).add(to: router)
    OwnershipRoutes(ledger: ledger, authentication: customers, content: presenter).add(to: router)
    OperatorCatalogRoutes(
      ledger: ledger, authentication: operators, content: content,
      uploadLimitBytes: configuration.limits.uploadLimitBytes
    ).add(to: router)
    OperatorCustomerRoutes(ledger: ledger, authentication: operators, exports: exports).add(to: router)
    OperatorSummaryRoutes(ledger: ledger, authentication: operators).add(to: router)
    OperatorChangeRoutes(ledger: ledger, authentication: operators, exports: exports).add(to: router)
    OperatorChartRoutes(ledger: ledger, authentication: operators).add(to: router)
    OperatorWebhookRoutes(
      ledger: ledger, authentication: operators, exports: exports,
      allowsLoopback: configuration.allowsLoopbackWebhooks
    ).add(to: router)
    OperatorNotificationRoutes(receiver: notifications, authentication: operators).add(to: router)
    OperatorConsumptionRoutes(ledger: ledger, authentication: operators).add(to: router)
    OperatorReverificationRoutes(
      ledger: ledger, authentication: operators,
      verification: StoredProofVerification(ledger: ledger, verifier: verifier, metrics: metrics, clock: clock),
      seconds: configuration.limits.lastVerificationSeconds, clock: clock
    ).add(to: router)
    OperatorImportRoutes(
      importer: PurchaseImporter(
        ledger: ledger, verifier: verifier, identity: identity, metrics: metrics, clock: clock),
      authentication: operators, seconds: configuration.limits.lastVerificationSeconds, clock: clock
    ).add(to: router)
    OperatorHealthRoutes(
      ledger: ledger, authentication: operators, readiness: check, metrics: metrics, version: configuration.version,
      clock: clock
    ).add(to: router)
    OperatorKeyRoutes(ledger: ledger, authentication: operators, backUp: backUp).add(to: router)
    return router
  }
}
