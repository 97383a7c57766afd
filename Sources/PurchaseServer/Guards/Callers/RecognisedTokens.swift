import Crypto
import StoreModel

/// A cache of recently verified tokens and their holders. Only these holders have a rate of their own. Unverified
/// tokens have none, because a caller could invent a new token for each request.
final class RecognisedTokens: Sendable {
  private struct State: Sendable {
    var recent: [Key: String] = [:]
    var older: [Key: String] = [:]
  }

  private let most: Int
  private let state = LockedValue(State())

  /// - Parameter most: the cache always keeps this number of the newest tokens, and never more than twice this number.
  init(most: Int = 100_000) { self.most = most }

  /// Returns the key by which the token's holder is counted; nil if the token was not verified recently.
  func caller(of token: String) -> String? {
    let key = Key(token)
    return state.withLock { $0.recent[key] ?? $0.older[key] }
  }

  /// - Parameter caller: the holder's key, which is the same for all of the holder's tokens.
  func add(_ token: String, of caller: String) {
    let key = Key(token)
    state.withLock { state in
      guard state.recent[key] != caller else { return }
      if state.recent.count >= most { (state.older, state.recent) = (state.recent, [:]) }
      state.recent[key] = caller
    }
  }

  /// 128 bits of the token's hash. A memory dump does not reveal tokens.
  private struct Key: Hashable, Sendable {
    private let halves: SIMD2<UInt64>

    init(_ token: String) {
      var (hash, token) = (SHA256(), token)
      token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
      halves = hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: SIMD2<UInt64>.self) }
    }
  }
}
