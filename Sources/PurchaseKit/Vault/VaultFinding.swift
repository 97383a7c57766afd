/// Something that was not as the vault left it, noticed when it was opened. What follows from each is a table in
/// Documentation/vault.md.
public enum VaultFinding: Hashable, Sendable, CustomStringConvertible {
  /// There was a file, and there is none any more.
  case fileMissing
  /// The app was deleted and installed again: nothing of its folder is left, and the key survived.
  case reinstalled
  /// SQLite cannot read the file; it was moved aside.
  case fileUnreadable(reason: String)
  /// There is a file, and no key to it.
  case keyMissing
  /// The key item is not one.
  case keyUnreadable
  /// File or key are another app's, another device's, or another vault's.
  case copiedFromElsewhere
  /// An older copy of the file was put back.
  case rolledBack
  /// An older key item was put back; the file is newer, and believed.
  case keyRolledBack
  /// What the file says of itself does not open.
  case headDamaged
  /// Records of a compartment were changed, removed, exchanged, added, or put back in an older version.
  case recordsDamaged(VaultCompartment)
  /// The file had further rows, which say nothing; they were removed.
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

  /// Why credits are frozen because of it; nil where they are not.
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
