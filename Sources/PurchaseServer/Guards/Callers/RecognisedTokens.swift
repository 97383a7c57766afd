import Crypto
import Foundation
import SignedData

/// Whose the tokens are that were verified lately. Only their holders have a rate of their own: anybody can make up a token,
/// and another for each request.
final class RecognisedTokens: @unchecked Sendable {
  private let most: Int
  private let lock = NSLock()
  private var recent: [String: String] = [:]
  private var older: [String: String] = [:]

  /// - Parameter most: the number of tokens kept at least, those used last; twice as many at most.
  init(most: Int = 100_000) { self.most = most }

  /// What the rate of the token's holder is counted by; nil for a token that was not verified lately.
  func caller(of token: String) -> String? {
    let key = Self.key(token)
    return lock.withLock { recent[key] ?? older[key] }
  }

  /// - Parameter caller: the holder: the same for all of their tokens, and for all spellings of one.
  func add(_ token: String, of caller: String) {
    let key = Self.key(token)
    lock.withLock {
      guard recent[key] != caller else { return }
      if recent.count >= most { (older, recent) = (recent, [:]) }
      recent[key] = caller
    }
  }

  /// A hash, because memory may end in a dump.
  private static func key(_ token: String) -> String {
    Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: Data(token.utf8))).prefix(16))
  }
}
