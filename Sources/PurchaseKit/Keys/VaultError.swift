import Foundation
import StoreModel

/// Thrown when a vault cannot be opened, read or changed.
public enum VaultError: DescribedError, Hashable, Sendable {
  /// The key store cannot be read or written. Nothing was changed.
  case keyStore(reason: String)
  /// The change is in the vault's file, but the key store could not be updated. The vault writes nothing more until the
  /// update succeeds. Repeating the change then has no further effect.
  case keyNotSaved(reason: String)
  /// The vault was written by a later version of this software. Nothing was changed.
  case newerVersion
  /// The file was changed by another program since it was opened.
  case changedWhileOpen

  public var description: String {
    switch self {
    case .keyStore(let reason):
      "The vault's key cannot be used: \(reason). Nothing was changed; try again."
    case .keyNotSaved(let reason):
      "The vault has recorded it, but its key could not be brought up to date: \(reason). Ask again."
    case .newerVersion:
      "The vault was written by a newer version of this software. Use that version."
    case .changedWhileOpen:
      "The vault's file was changed while it was open. Launch the app again: it is checked then."
    }
  }
}
