import Crypto
import Foundation
import Hummingbird
import StoreModel
import WebSupport

/// The sessions of browsers that have sent the control token. They exist in memory only, and end with the process.
final class ConsoleSessions: SiteAccess {
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

  func signIn(token: String, from address: NetworkAddress? = nil) throws(SignInRefusal) -> String {
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
  private func check(token: String, from address: NetworkAddress?) throws(SignInRefusal) {
    let (given, expected) = (Self.digest(token), controlToken)
    try guesses.check(from: address) { given == expected }
  }

  func admits(_ cookie: String) -> Bool {
    let digest = Self.digest(cookie)
    return sessions.withLock { $0.contains(digest) }
  }

  /// Whether the request has a session or the control token.
  func admits(_ request: Request, cookie: String?, from address: NetworkAddress?) throws -> Bool {
    if let cookie, admits(cookie) { return true }
    return try admits(bearerOf: request, from: address)
  }

  /// Whether a request has the control token in `Authorization: Bearer …`.
  ///
  /// - Throws: ``ErrorResponse`` if the token is too long to be one, or the address has sent too many wrong tokens.
  func admits(bearerOf request: Request, from address: NetworkAddress?) throws(ErrorResponse) -> Bool {
    guard let token = try request.checkedBearerToken() else { return false }
    do throws(SignInRefusal) {
      try check(token: token, from: address)
      return true
    } catch {
      guard case .tooManyAttempts(let seconds) = error else { return false }
      throw ErrorResponse(
        .tooManyRequests, "tooManyAttempts", "There were too many wrong tokens. Try again in \(seconds) seconds.",
        headers: [.retryAfter: "\(seconds)"])
    }
  }

  func end(_ cookie: String) {
    let digest = Self.digest(cookie)
    sessions.withLock { sessions in sessions.removeAll { $0 == digest } }
  }

  private static func digest(_ text: String) -> SHA256.Digest { SHA256.hash(data: Data(text.utf8)) }
}
