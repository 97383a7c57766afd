import Foundation
import StoreModel

/// Thrown when a backup cannot be made or read. Nothing is changed then.
public enum BackupError: DescribedError, Hashable, Sendable {
  case notABackup
  /// The backup was made by a later version of this software.
  case newerVersion(Int)
  /// The backup was made with another key.
  case wrongKey
  /// The backup was changed, or is incomplete.
  case damaged
  case ofAnotherApp(BundleID)
  /// The app receipt, which proves the entitlements, is missing or not valid.
  case receipt(ReceiptError)

  public var description: String {
    switch self {
    case .notABackup: "This is not a backup of purchases."
    case .newerVersion(let version): "The backup is of version \(version). Update the app to import it."
    case .wrongKey: "The backup was made under another backup key."
    case .damaged: "The backup is damaged. Use another copy of it."
    case .ofAnotherApp(let app): "The backup is of another app, \(app)."
    case .receipt(let error): "Entitlements cannot be put into a backup, or taken from one: \(error)"
    }
  }
}
