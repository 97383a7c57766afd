import Crypto
import Foundation
import SignedData
import StoreModel

/// The tokens that were verified lately, with their holders. Only these holders have a rate of their own, because a caller could invent a
/// new token for each request.
final class RecognisedTokens: Sendable {
  private struct State: Sendable {
    var recent: [String: String] = [:]
    var older: [String: String] = [:]
  }

  private let most: Int
  private let state = LockedValue(State())

  /// - Parameter most: the number of tokens kept at least, those used last; twice as many at most.
  init(most: Int = 100_000) { self.most = most }

  /// What the rate of the token's holder is counted by; nil for a token that was not verified lately.
  func caller(of token: String) -> String? {
    let key = Self.key(token)
    return state.withLock { $0.recent[key] ?? $0.older[key] }
  }

  /// - Parameter caller: the holder: the same for all of their tokens, and for all spellings of one.
  func add(_ token: String, of caller: String) {
    let key = Self.key(token)
    state.withLock { state in
      guard state.recent[key] != caller else { return }
      if state.recent.count >= most { (state.older, state.recent) = (state.recent, [:]) }
      state.recent[key] = caller
    }
  }

  /// A hash, because memory may end in a dump.
  private static func key(_ token: String) -> String {
    Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: Data(token.utf8))).prefix(16))
  }
}
