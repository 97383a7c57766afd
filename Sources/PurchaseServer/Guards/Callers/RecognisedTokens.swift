import Crypto
import Foundation
import SignedData
import StoreModel

/// A cache of recently verified tokens and their holders. Only these holders have a rate of their own. Unverified
/// tokens have none, because a caller could invent a new token for each request.
final class RecognisedTokens: Sendable {
  private struct State: Sendable {
    var recent: [String: String] = [:]
    var older: [String: String] = [:]
  }

  private let most: Int
  private let state = LockedValue(State())

  /// - Parameter most: the cache always keeps this number of the newest tokens, and never more than twice this number.
  init(most: Int = 100_000) { self.most = most }

  /// Returns the key by which the token's holder is counted; nil if the token was not verified recently.
  func caller(of token: String) -> String? {
    let key = Self.key(token)
    return state.withLock { $0.recent[key] ?? $0.older[key] }
  }

  /// - Parameter caller: the holder's key, which is the same for all of the holder's tokens.
  func add(_ token: String, of caller: String) {
    let key = Self.key(token)
    state.withLock { state in
      guard state.recent[key] != caller else { return }
      if state.recent.count >= most { (state.older, state.recent) = (state.recent, [:]) }
      state.recent[key] = caller
    }
  }

  /// Returns a hash of the token, so that a memory dump does not reveal tokens.
  private static func key(_ token: String) -> String {
    Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: Data(token.utf8))).prefix(16))
  }
}
