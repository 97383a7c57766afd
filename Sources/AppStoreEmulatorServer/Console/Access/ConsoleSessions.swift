import Crypto
import Foundation
import StoreModel
import WebSupport

/// The sessions of browsers that have sent the control token. They exist in memory only, and end with the process.
final class ConsoleSessions: Sendable {
  /// The reason why a sign-in is refused.
  enum Refusal: Error, Equatable {
    case wrongToken
    case tooManyAttempts(seconds: Int64)
  }

  /// The maximum number of sessions. Above it, the oldest session ends.
  static let largestNumber = 64

  private let controlToken: SHA256.Digest
  private let guesses: TokenGuesses
  /// The hashes of the sessions' cookies, oldest first.
  private let sessions = LockedValue<[SHA256.Digest]>([])

  init(controlToken: String, clock: any MachineClock = SystemClock()) {
    self.controlToken = Self.digest(controlToken)
    guesses = TokenGuesses(clock: clock)
  }

  /// Begins a session if the token is right, and returns the session's cookie.
  func signIn(token: String, from address: NetworkAddress? = nil) throws(Refusal) -> String {
    try check(token: token, from: address)
    var generator = SystemRandomNumberGenerator()
    let cookie = (0..<4).map { _ in
      let part = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - part.count) + part
    }.joined()
    sessions.withLock { sessions in
      sessions.append(Self.digest(cookie))
      if sessions.count > Self.largestNumber { sessions.removeFirst() }
    }
    return cookie
  }

  /// Checks a control token. It compares hashes, so that the time of the comparison reveals nothing about the token.
  func check(token: String, from address: NetworkAddress?) throws(Refusal) {
    let (given, expected) = (Self.digest(token), controlToken)
    try guesses.check(from: address) { given == expected }
  }

  func admits(_ cookie: String) -> Bool {
    let digest = Self.digest(cookie)
    return sessions.withLock { $0.contains(digest) }
  }

  func end(_ cookie: String) {
    let digest = Self.digest(cookie)
    sessions.withLock { sessions in sessions.removeAll { $0 == digest } }
  }

  private static func digest(_ text: String) -> SHA256.Digest { SHA256.hash(data: Data(text.utf8)) }
}
