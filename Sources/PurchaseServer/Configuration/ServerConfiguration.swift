import AppStoreServerAPI
import Foundation
import PurchaseLedger
import SignedData
import StoreModel

/// The configuration of a purchase server. Documentation/running-the-server.md lists the keys.
public struct ServerConfiguration: Sendable {
  /// The database of the ledger.
  public enum Database: Hashable, Sendable {
    /// A SQLite file, for one server.
    case sqlite(URL)
    /// A libpq connection string, for any number of servers.
    case postgreSQL(String, connections: Int, acceptsServerWithoutFsync: Bool)
  }

  /// The store whose purchases are redeemed. A server cannot accept purchases from both Apple's store and an emulator.
  public enum Trust: Hashable, Sendable {
    /// Apple's store, identified by the fingerprints of Apple's root certificates. `legacyIntermediates` are files with
    /// the certificates that issue the signing certificates of legacy receipts.
    case apple(legacyIntermediates: [URL])
    /// The emulator at this URL. The server requests its root certificates when it starts.
    case emulator(URL)
  }

  /// The configuration of an app.
  public struct App: Hashable, Sendable {
    public let bundleID: BundleID
    public let verification: Verification
    public let environments: Set<StoreEnvironment>
    /// The accepted kinds of proof; nil for the default of ``verification``.
    public let proofKinds: Set<PurchaseProof.Kind>?
    public let sharedSecret: SharedSecret?
    /// The key of the App Store Server API; nil if there is none. With an emulator, its own key is used then.
    public let serverAPI: ServerAPI?
    /// Whether the status of certificates is asked (OCSP); nil to ask nobody.
    public let certificateStatus: CertificateStatusCheck.Mode?
    public let ledger: LedgerSettings
  }

  /// How this server identifies itself to the App Store Server API.
  public struct ServerAPI: Hashable, Sendable {
    public let key: ServerAPIKey
    /// The App Store's number of the app; nil if notifications are not checked for it.
    public let appAppleID: Int64?
  }

  /// How proofs are verified; see Documentation/verification.md.
  public enum Verification: String, Hashable, Sendable, CaseIterable {
    case offline
    case verifyReceipt
    case both
    case serverAPI
  }

  /// The operator's own identity system.
  public struct Identity: Hashable, Sendable {
    public let issuer: String
    public let audience: String
    /// The file with the JSON Web Key Set.
    public let keySet: URL
  }

  /// The folder of content files, and the settings of download links.
  public struct Content: Sendable {
    public let folder: URL
    /// The keys for download links. The first key signs; links of all keys are accepted. If the list is empty, the
    /// server creates a key in a file beside the SQLite ledger.
    public let linkKeys: [DownloadLinkKey]
    public let linkSeconds: Int64
  }

  public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    case text
    case json
  }

  public var service: PurchaseServiceConfiguration
  public let database: Database
  public let trust: Trust
  public let apps: [App]
  public let identity: Identity?
  public let content: Content
  /// The pause between checks for due proofs, in seconds.
  public let reverificationPauseSeconds: Int64
  /// The pause between two readings of the notification history, in minutes; 0 to read nothing.
  public let catchUpMinutes: Int64
  /// The number of days after which an installation without claims is removed; 0 to remove none.
  public let unusedInstallationDays: Int64
  /// Warnings about files that other users can read or write.
  let fileWarnings: [String]
  public let logLevel: String
  public let logFormat: LogFormat
}

/// Thrown when a configuration is not valid. It lists all errors at once.
public struct ServerConfigurationError: DescribedError, Hashable, Sendable {
  public let problems: [String]

  public var description: String {
    "The server cannot start like this:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
  }
}
