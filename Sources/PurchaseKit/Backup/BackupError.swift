import Foundation
import StoreModel

/// Why a backup was not made or not read. Nothing was changed.
public enum BackupError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  case notABackup
  /// A later version of this software made it.
  case newerVersion(Int)
  /// It was made under another key.
  case wrongKey
  /// It was changed, or is incomplete.
  case damaged
  case ofAnotherApp(BundleID)
  /// The app receipt, which evidences entitlements, is missing or not believed.
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

  public var errorDescription: String? { description }
}
