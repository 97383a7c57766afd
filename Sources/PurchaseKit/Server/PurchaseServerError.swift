import Foundation

/// Why the developer's server did not do what was asked.
public enum PurchaseServerError: LocalizedError, Hashable, Codable, Sendable, CustomStringConvertible {
  /// There was no answer. What was asked may have been done; asking again does nothing twice.
  case network(reason: String)
  /// The server says no, or not now.
  case refused(ServerRefusal)
  /// What answered is not such a server.
  case unintelligible(reason: String)
  /// The token of this installation is there, and cannot be read; nothing was asked. A new one would be another customer's, to
  /// whom nothing belongs that this one owns.
  case identityUnreadable(item: String, reason: String)
  /// Somebody else has signed in while the server was asked; the answer is nobody's.
  case customerChanged

  public var description: String {
    switch self {
    case .network(let reason): "The server was not reached. Try again when there is a network. (\(reason))"
    case .refused(let refusal): refusal.message
    case .unintelligible(let reason): "The server's answer makes no sense; check its address. (\(reason))"
    case .identityUnreadable(let item, let reason):
      """
      The purchase server's token, \(item) in the app's key store, cannot be read. Unlock the device and try again, or put the key \
      store back from a backup. Removing the item makes this installation a new customer, who has to restore purchases and has none \
      of the credits. (\(reason))
      """
    case .customerChanged: "Somebody else has signed in meanwhile. Try again as who is signed in now."
    }
  }

  public var errorDescription: String? { description }

  /// Whether asking again later, in the very same way, may go better.
  public var isTemporary: Bool {
    switch self {
    case .network: true
    case .refused(let refusal): refusal.isTemporary
    case .unintelligible, .identityUnreadable, .customerChanged: false
    }
  }

  /// How long the server wants to be left alone, in seconds; nil where it does not say.
  public var retryAfterSeconds: Int? { if case .refused(let refusal) = self { refusal.retryAfterSeconds } else { nil } }
}
