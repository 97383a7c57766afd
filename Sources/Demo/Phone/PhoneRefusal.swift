/// The reason why a phone refuses a command of its owner.
enum PhoneRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case notInstalled
  case notRunning
  case noSuchBackup(String)
  case documentsUnreadable(String)
  case notRemoved(String)
  case noKey
  case noAccount
  case noServer
  /// The purchase could not be begun in the App Store.
  case noAppStore(String)
  case busy
  case ending
  /// The app runs, but answers with this error instead of its screen.
  case screenRefused(String)

  var description: String {
    switch self {
    case .notInstalled: "The app is not on the device. Install it first."
    case .notRunning: "The app is not running. Open it first."
    case .noSuchBackup(let name): "There is no backup \(name.prefix(100)) in the device’s documents."
    case .documentsUnreadable(let reason): "The device’s documents cannot be read: \(reason)"
    case .notRemoved(let reason): "The app could not be deleted: \(reason)"
    case .noKey: "Type the key that was shown when the backup was made."
    case .noAccount: "Type the name of the account."
    case .noServer: "This device has no purchase server that could store the credits."
    case .noAppStore(let reason): "The App Store could not begin the purchase. \(reason)"
    case .busy: "A backup is in progress. Try again when it is done."
    case .screenRefused(let reason): "The app could not show its screen: \(reason)"
    case .ending: "The app is ending. Try again."
    }
  }
}
