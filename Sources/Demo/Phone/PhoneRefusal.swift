/// The reason why a phone refuses a command of its owner.
enum PhoneRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case notInstalled
  case notRunning
  case noSuchBackup(String)
  case documentsUnreadable(String)
  case notRemoved(String)
  case noKey
  case noAccount
  case busy
  case ending
  /// The app runs, but answers with this error instead of its screen.
  case screenRefused(String)

  var description: String {
    switch self {
    case .notInstalled: "The app is not on the phone. Install it first."
    case .notRunning: "The app is not running. Open it first."
    case .noSuchBackup(let name): "There is no backup \(name.prefix(100)) in the phone’s documents."
    case .documentsUnreadable(let words): "The phone’s documents cannot be read: \(words)"
    case .notRemoved(let words): "The app could not be deleted: \(words)"
    case .noKey: "Type the key that was shown when the backup was made."
    case .noAccount: "Type the name of the account."
    case .busy: "A backup is being made. Wait for it."
    case .screenRefused(let words): "The app could not show its screen: \(words)"
    case .ending: "The app is just being ended. Try again."
    }
  }
}
