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
  /// How long Apple's answer about a receipt is cached, in seconds. An app that restores its purchases sends the same receipt
  /// for each of them.
  private static let reuseSeconds = 5

  public let ledger: Ledger
  public let service: PurchaseService
  /// The services that run beside the listener.
  public let companions: [any Service]
  private let database: any LedgerDatabase
  private let receipts: HTTPReceiptServer

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
    let trust = try await Self.trust(configuration)
    let metrics = ServiceMetrics()
    receipts = HTTPReceiptServer(clock: clock)
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
      let verifier = try ProofVerifier(
        anchors: trust.anchors, policies: trust.policies, server: receipts, clock: clock,
        report: { problem in
          metrics.countStoreError(of: problem.app.rawValue)
          logger.warning("A request to the store failed", metadata: ["problem": "\(problem)"])
        })
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

  private static func storeClock(
    _ trust: ServerConfiguration.Trust, machine: any MachineClock
  ) -> EmulatorClock? {
    guard case .emulator(let url) = trust else { return nil }
    return EmulatorClock(of: url, machine: machine)
  }

  private static func trust(
    _ configuration: ServerConfiguration
  ) async throws -> (anchors: TrustAnchors, policies: [VerificationPolicy]) {
    let anchors: TrustAnchors
    let asking: (ServerConfiguration.App) -> VerifyReceiptPolicy
    switch configuration.trust {
    case .apple(let files):
      var certificates: [[UInt8]] = []
      for file in files {
        do {
          certificates.append(Array(try Data(contentsOf: file)))
        } catch {
          throw ServerStartError.cannotRead(file, reason: "\(error.localizedDescription)")
        }
      }
      anchors = .apple + TrustAnchors(legacyIntermediates: certificates)
      asking = { app in
        var policy = VerifyReceiptPolicy(sharedSecret: app.sharedSecret)
        policy.reuseSeconds = Self.reuseSeconds
        return policy
      }
    case .emulator(let url):
      let emulator = try await EmulatorTrust(of: url, for: configuration.apps.map(\.bundleID))
      anchors = emulator.anchors
      asking = { app in
        var policy = emulator.policies[app.bundleID] ?? VerifyReceiptPolicy()
        policy.sharedSecret = app.sharedSecret ?? policy.sharedSecret
        policy.secondsAhead = VerifyReceiptPolicy.longestSecondsAhead
        return policy
      }
    }
    let policies = configuration.apps.map { app in
      let method: VerificationPolicy.Method =
        switch app.verification {
        case .offline: .offline
        case .verifyReceipt: .verifyReceipt(asking(app))
        case .both: .both(asking(app))
        }
      return VerificationPolicy(
        bundleID: app.bundleID, environments: app.environments, method: method, proofKinds: app.proofKinds)
    }
    return (anchors, policies)
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
