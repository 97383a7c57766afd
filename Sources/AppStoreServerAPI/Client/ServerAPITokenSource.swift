import StoreModel

/// The token of a client. It is made when it is needed, and used until shortly before it ends.
final class ServerAPITokenSource: Sendable {
  private let key: ServerAPIKey
  private let bundleID: BundleID
  private let lifetimeSeconds: Int64
  private let current = LockedValue<ServerAPIToken?>(nil)

  /// A token is replaced this long before its end, because a request takes time and clocks differ.
  private static let secondsLeft: Int64 = 30

  init(key: ServerAPIKey, bundleID: BundleID, lifetimeSeconds: Int64) {
    self.key = key
    self.bundleID = bundleID
    self.lifetimeSeconds = lifetimeSeconds
  }

  /// - Parameter now: the date of this machine. If it was set back, another token is made.
  func token(at now: StoreDate) throws -> String {
    try current.withLock { current in
      if let current, current.startDate <= now, now.adding(seconds: Self.secondsLeft) < current.expirationDate {
        return current.text
      }
      let token = try key.token(for: bundleID, at: now, lifetimeSeconds: lifetimeSeconds)
      current = token
      return token.text
    }
  }

  /// Stops using a token that the store refused.
  func discard(_ text: String) {
    current.withLock { current in if current?.text == text { current = nil } }
  }
}
