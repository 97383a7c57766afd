import Crypto
import Foundation
import SignedData

/// Which tokens opened something lately. Only they have a rate of their own: anybody can make up a token, and another for
/// each request.
final class RecognisedTokens: @unchecked Sendable {
  private let most: Int
  private let lock = NSLock()
  private var recent: Set<String> = []
  private var older: Set<String> = []

  /// - Parameter most: how many it keeps at least, those that were used last; twice as many at most.
  init(most: Int = 100_000) { self.most = most }

  func contains(_ token: String) -> Bool {
    let key = Self.key(token)
    return lock.withLock { recent.contains(key) || older.contains(key) }
  }

  func add(_ token: String) {
    let key = Self.key(token)
    lock.withLock {
      guard !recent.contains(key) else { return }
      if recent.count >= most { (older, recent) = (recent, []) }
      recent.insert(key)
    }
  }

  /// A hash, because what is kept in memory may end in a dump.
  static func key(_ token: String) -> String {
    Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: Data(token.utf8))).prefix(16))
  }
}
