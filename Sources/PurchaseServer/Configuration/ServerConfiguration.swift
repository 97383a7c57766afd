import Foundation
import PurchaseLedger
import StoreModel

/// All that a purchase server has to be told. Documentation/running-the-server.md lists the keys.
public struct ServerConfiguration: Sendable {
  /// Where the ledger is.
  public enum Database: Hashable, Sendable {
    /// A file; one server.
    case sqlite(URL)
    /// A libpq connection string; any number of servers.
    case postgreSQL(String, connections: Int, acceptsServerWithoutFsync: Bool)
  }

  /// Whose purchases are redeemed. Apple's and an emulator's never mix.
  public enum Trust: Hashable, Sendable {
    /// Apple's, by its roots' fingerprints, with certificates that issue the leaves of legacy receipts.
    case apple(legacyIntermediates: [URL])
    /// An emulator's, which is asked for its roots at the start.
    case emulator(URL)
  }

  /// An app that is served.
  public struct App: Hashable, Sendable {
    public let bundleID: BundleID
    public let verification: Verification
    public let environments: Set<StoreEnvironment>
    /// The kinds of proof that are taken; nil for those that ``verification`` takes unless told otherwise.
    public let proofKinds: Set<PurchaseProof.Kind>?
    public let sharedSecret: SharedSecret?
    public let ledger: LedgerSettings
  }

  /// How proofs are verified; see Documentation/verification.md.
  public enum Verification: String, Hashable, Sendable, CaseIterable {
    case offline
    case verifyReceipt
    case both
  }

  /// The operator's own identity system.
  public struct Identity: Hashable, Sendable {
    public let issuer: String
    public let audience: String
    /// A JSON Web Key Set.
    public let keySet: URL
  }

  /// Where content is, and how it is handed out.
  public struct Content: Sendable {
    public let folder: URL
    /// The first signs; all are accepted. Empty for one that the server makes and keeps beside a SQLite ledger.
    public let linkKeys: [DownloadLinkKey]
    public let linkSeconds: Int64
  }

  public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    case text
    case json
  }

  public let service: PurchaseServiceConfiguration
  public let database: Database
  public let trust: Trust
  public let apps: [App]
  public let identity: Identity?
  public let content: Content
  /// How often it is looked whether proofs are due, in seconds.
  public let reverificationPauseSeconds: Int64
  /// After how many days an installation that never claimed anything is removed; 0 for never.
  public let unusedInstallationDays: Int64
  /// Files that others can read or write, in sentences.
  let fileWarnings: [String]
  public let logLevel: String
  public let logFormat: LogFormat
}

/// Everything that is wrong with a configuration, at once.
public struct ServerConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public let problems: [String]

  public var description: String {
    "The server cannot start like this:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
  }
}
