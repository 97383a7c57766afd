import Foundation

/// Why a vault was not opened, or does not do what it was asked.
public enum VaultError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The key store does not answer, or does not save. Nothing was changed.
  case keyStore(reason: String)
  /// What was asked is on record in the file, but the key store did not take note of it. Nothing further is written until it
  /// does; what is asked again then is found done.
  case keyNotSaved(reason: String)
  /// A later version of this software wrote it. Nothing was changed.
  case newerVersion
  /// The file was changed by somebody else since it was opened.
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

  public var errorDescription: String? { description }
}
