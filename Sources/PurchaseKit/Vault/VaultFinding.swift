/// Damage or a change that is found when a vault is opened. Documentation/vault.md has a table of the consequences.
public enum VaultFinding: Hashable, Sendable, CustomStringConvertible {
  /// The file existed before, and is missing.
  case fileMissing
  /// The app was deleted and installed again. Its folder is new; the key survived.
  case reinstalled
  /// SQLite cannot read the file; it was moved aside.
  case fileUnreadable(reason: String)
  /// The file exists, but its key is missing.
  case keyMissing
  /// The value in the key store is not a valid key item.
  case keyUnreadable
  /// The file or the key belongs to another app, device or vault.
  case copiedFromElsewhere
  /// The file was replaced by an older copy.
  case rolledBack
  /// The key item was replaced by an older one. The newer file is used.
  case keyRolledBack
  /// The head cannot be decrypted.
  case headDamaged
  /// Records of a compartment were changed, removed, exchanged, added, or replaced by older versions.
  case recordsDamaged(VaultCompartment)
  /// The file had rows that this vault did not write. They were removed.
  case foreignRecords(count: Int)

  public var description: String {
    switch self {
    case .fileMissing: "The vault's file is missing."
    case .reinstalled: "The app was deleted and installed again; the vault's file went with it."
    case .fileUnreadable(let reason): "The vault's file cannot be read (\(reason)); it was moved aside."
    case .keyMissing: "The vault's key is missing."
    case .keyUnreadable: "The vault's key cannot be read."
    case .copiedFromElsewhere: "The vault's file or key was copied from elsewhere."
    case .rolledBack: "An older copy of the vault's file was put back."
    case .keyRolledBack: "An older copy of the vault's key was put back."
    case .headDamaged: "The vault's head is damaged."
    case .recordsDamaged(let compartment): "The vault's \(compartment.rawValue) are damaged."
    case .foreignRecords(let count): "The vault's file had \(count) further rows, which were removed."
    }
  }

  /// Why credits are frozen because of this finding; nil if they are not.
  var freezes: CreditFreeze.Reason? {
    switch self {
    case .fileMissing: .fileMissing
    case .reinstalled: .reinstalled
    case .fileUnreadable: .fileUnreadable
    case .keyMissing: .keyMissing
    case .keyUnreadable: .keyUnreadable
    case .copiedFromElsewhere: .copiedFromElsewhere
    case .rolledBack: .rolledBack
    case .headDamaged: .headDamaged
    case .recordsDamaged(.credits): .recordsDamaged
    case .recordsDamaged(.entitlements), .keyRolledBack, .foreignRecords: nil
    }
  }
}
