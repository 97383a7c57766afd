import Foundation

/// Why, and since when, credits cannot be used.
public struct CreditFreeze: Hashable, Codable, Sendable {
  /// The problem that the vault found when it was opened (see ``VaultFinding``), or a ``LedgerCreditStore``.
  public enum Reason: String, Codable, Sendable {
    case fileMissing
    case reinstalled
    case fileUnreadable
    case keyMissing
    case keyUnreadable
    case copiedFromElsewhere
    case rolledBack
    case headDamaged
    case recordsDamaged
    /// The server stores the credits, and now knows this device as another customer; see
    /// ``LedgerCreditStore/freeze()``.
    case registrationLost
  }

  public let reason: Reason
  public let date: Date
  /// The balance before the freeze, which is lost if the credits start again at zero. Nil if it is not known.
  public let lostBalance: Int?

  public init(reason: Reason, date: Date, lostBalance: Int? = nil) {
    self.reason = reason
    self.date = date
    self.lostBalance = lostBalance
  }
}

extension CreditFreeze.Reason: CustomStringConvertible {
  /// Completes "the credits are frozen because …".
  public var description: String {
    switch self {
    case .fileMissing: "their file is missing"
    case .reinstalled: "the app was deleted and installed again"
    case .fileUnreadable: "their file cannot be read"
    case .keyMissing: "their key is missing"
    case .keyUnreadable: "their key cannot be read"
    case .copiedFromElsewhere: "they were copied from elsewhere"
    case .rolledBack: "an older copy of their file was put back"
    case .headDamaged, .recordsDamaged: "their file was changed"
    case .registrationLost: "the server does not recognise this device any more"
    }
  }

  /// What may bring the credits back, as the beginning of a sentence.
  var wayOut: String {
    switch self {
    case .registrationLost: "Restore your purchases"
    default: "Import a backup of them"
    }
  }
}
