import AppStoreServerAPI
import DurableSQLite
import Foundation
import Hummingbird
import Logging
import PurchaseLedger
import ServiceLifecycle
import SignedData
import StoreModel

/// All parts of a running server, built from its configuration.
public struct ServerAssembly: Sendable {
  public let ledger: Ledger
  public let service: PurchaseService
  /// The services that run beside the listener.
  public let companions: [any Service]
  /// The client of each app that has a key of the App Store Server API, whatever verifies its proofs.
  let serverAPIClients: [BundleID: AppStoreServerAPIClient]
  let verifier: ProofVerifier
  private let database: any LedgerDatabase
  private let receipts: HTTPReceiptServer
  private let webhooks: WebhookTransport

  /// Opens the ledger and creates all parts of the server.
  ///
  /// - Parameter opener: opens the ledger's database. The default opens SQLite files only.
  /// - Throws: ``ServerStartError``, ``LedgerDatabaseError``, `DurableSQLiteError`, ``LedgerError``,
  ///   ``UnusableVerificationPolicy``, ``ContentStoreError``, ``CustomerIdentityError``. The database and the HTTP
  ///   client are then closed.
  public init(
    _ configuration: ServerConfiguration, opener: any LedgerOpener = SQLiteLedgerOpener(),
    clock: any MachineClock = SystemClock(), logger: Logger
  ) async throws {
    let logger = logger.bounded
    for warning in configuration.warnings {
      logger.warning("The configuration allows it", metadata: ["what": "\(warning)"])
    }
    let trust = try await StoreTrust(configuration)
    let metrics = ServiceMetrics()
    receipts = HTTPReceiptServer(clock: clock)
    webhooks = WebhookTransport(allowsLoopback: configuration.service.allowsLoopbackWebhooks, clock: clock)
    do {
      database = try await opener.open(configuration.database, logger: logger)
    } catch {
      try await receipts.close()
      throw error
    }
    do {
      let storeClock: EmulatorClock? = Self.storeClock(configuration.trust, machine: clock)
      ledger = try await Ledger(
        database: database, anchors: trust.anchors,
        apps: Dictionary(uniqueKeysWithValues: configuration.apps.map { ($0.bundleID, $0.ledger) }), clock: clock,
        accessClock: storeClock)
      verifier = try ProofVerifier(
        anchors: trust.anchors, policies: trust.policies, server: receipts,
        transport: receipts.transport(timeoutSeconds: trust.answerTimeoutSeconds), clock: clock, storeClock: storeClock,
        report: { problem in
          metrics.noteStoreFailure(of: problem.app, "\(problem)", at: clock.now)
          logger.warning("A request to the store failed", metadata: ["problem": "\(problem)"])
        })
      serverAPIClients = trust.clients(of: verifier, receipts, clock: clock)
      let content = try await FolderContentStore(
        folder: configuration.content.folder, ledger: try await ledger.identity(), clock: clock)
      service = try await PurchaseService(
        ledger: ledger, verifier: verifier, content: content,
        links: try Self.links(configuration, clock: clock),
        identity: try await Self.identity(configuration.identity),
        configuration: configuration.service, metrics: metrics,
        backUp: Self.backUp(configuration.database, database, clock: clock),
        refreshClock: storeClock?.refresh, logger: logger)
      let workers: [any Service] = [
        Reverifier(
          ledger: ledger, verifier: verifier, pauseSeconds: configuration.reverificationPauseSeconds,
          metrics: metrics, clock: clock, logger: logger),
        NotificationCatchUp(
          receiver: NotificationReceiver(ledger: ledger, verifier: verifier, metrics: metrics, clock: clock),
          histories: Self.histories(serverAPIClients, configuration.apps), minutes: configuration.catchUpMinutes,
          refreshClock: storeClock?.refresh, clock: clock, logger: logger),
        NotificationSweeper(ledger: ledger, clock: clock, logger: logger),
        ConsumptionResponder(
          ledger: ledger, clients: serverAPIClients, metrics: metrics, refreshClock: storeClock?.refresh, clock: clock,
          logger: logger),
        WebhookSender(ledger: ledger, transport: webhooks, metrics: metrics, clock: clock, logger: logger),
        ContentSweeper(ledger: ledger, content: content, clock: clock, logger: logger),
        InstallationSweeper(ledger: ledger, days: configuration.unusedInstallationDays, clock: clock, logger: logger),
      ]
      companions = workers + Self.health(service, logger: logger) + [service.draining]
    } catch {
      try await database.close()
      try await receipts.close()
      throw error
    }
  }

  /// Closes the ledger. Call it after all services have ended.
  public func close() async throws {
    try await webhooks.close()
    try await database.close()
    try await receipts.close()
  }

  /// The listener for health probes, if one is configured.
  private static func health(_ service: PurchaseService, logger: Logger) -> [any Service] {
    let listener = service.healthApplication { port in
      logger.notice("Health is answered", metadata: ["port": .stringConvertible(port)])
    }
    return listener.map { [$0] } ?? []
  }

  /// The notification histories of the apps that have a key of the App Store Server API.
  private static func histories(
    _ clients: [BundleID: AppStoreServerAPIClient], _ apps: [ServerConfiguration.App]
  ) -> [NotificationCatchUp.History] {
    apps.flatMap { app in
      guard let client = clients[app.bundleID] else { return [NotificationCatchUp.History]() }
      return [.production, .sandbox].filter(app.environments.contains).map {
        NotificationCatchUp.History(app: app.bundleID, environment: $0, client: client)
      }
    }
  }

  private static func storeClock(
    _ trust: ServerConfiguration.Trust, machine: any MachineClock
  ) -> EmulatorClock? {
    guard case .emulator(let url) = trust else { return nil }
    return EmulatorClock(of: url, machine: machine)
  }

  private static func links(
    _ configuration: ServerConfiguration, clock: any MachineClock
  ) throws -> DownloadLinkSigner {
    var keys = configuration.content.linkKeys
    if keys.isEmpty, case .sqlite(let file) = configuration.database { keys = [try LinkKeyFile.key(beside: file)] }
    return DownloadLinkSigner(
      current: keys[0], older: Array(keys.dropFirst()), clock: clock,
      lifetimeMilliseconds: configuration.content.linkSeconds * 1000)
  }

  private static func identity(_ configuration: ServerConfiguration.Identity?) async throws -> CustomerIdentity? {
    guard let configuration else { return nil }
    let keys: Data
    do {
      keys = try Data(contentsOf: configuration.keySet)
    } catch {
      throw ServerStartError.cannotRead(configuration.keySet, reason: error.localizedDescription)
    }
    return try await CustomerIdentity(
      keySet: keys, issuer: configuration.issuer, audience: configuration.audience)
  }

  private static func backUp(
    _ configuration: ServerConfiguration.Database, _ database: any LedgerDatabase, clock: any MachineClock
  ) -> (@Sendable () async throws -> String)? {
    guard case .sqlite(let file) = configuration, let database = database as? SQLiteLedgerDatabase else { return nil }
    return {
      let start = clock.now.millisecondsSince1970
      var millisecond = start
      while true {
        let name = "\(file.lastPathComponent).backup-\(millisecond)"
        let copy = file.deletingLastPathComponent().appending(path: name)
        do {
          try await database.backUp(to: copy)
          return name
        } catch _ where FileManager.default.fileExists(atPath: copy.path) && millisecond < start + 99 {
          // A backup of the same millisecond has this name already.
          millisecond += 1
        }
      }
    }
  }
}
