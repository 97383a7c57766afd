import Crypto
import Foundation
import StoreModel

/// The browsers in which the control token was given. In memory: they end with the process.
final class ConsoleSessions: Sendable {
  /// Why nobody is signed in.
  enum Refusal: Error, Equatable {
    case wrongToken
    case tooManyAttempts(seconds: Int64)
  }

  /// Beyond it the oldest session ends.
  static let largestNumber = 64

  private let controlToken: SHA256.Digest
  private let clock: any WallClock
  private let state: LockedState

  private final class LockedState: @unchecked Sendable {
    let lock = NSLock()
    var allowance: SignInAllowance
    /// What the cookies hash to, oldest first.
    var sessions: [SHA256.Digest] = []

    init(_ allowance: SignInAllowance) { self.allowance = allowance }
  }

  init(controlToken: String, clock: any WallClock = SystemClock()) {
    self.controlToken = Self.digest(controlToken)
    self.clock = clock
    state = LockedState(SignInAllowance(now: clock.now))
  }

  /// A new session's cookie for whoever has the token.
  func signIn(token: String) throws(Refusal) -> String {
    let now = clock.now
    let waiting = state.lock.withLock { state.allowance.secondsToWait(now: now) }
    // Also where the token is right: otherwise the answer would still tell.
    guard waiting == 0 else { throw .tooManyAttempts(seconds: waiting) }
    guard isControlToken(token) else {
      state.lock.withLock { state.allowance.spend(now: now) }
      throw .wrongToken
    }
    var generator = SystemRandomNumberGenerator()
    let cookie = (0..<4).map { _ in
      let part = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - part.count) + part
    }.joined()
    state.lock.withLock {
      state.sessions.append(Self.digest(cookie))
      if state.sessions.count > Self.largestNumber { state.sessions.removeFirst() }
    }
    return cookie
  }

  /// Whether it is the control token. Hashes are compared, so that neither length nor a common beginning can be timed.
  func isControlToken(_ text: String) -> Bool { Self.digest(text) == controlToken }

  func admits(_ cookie: String) -> Bool {
    let digest = Self.digest(cookie)
    return state.lock.withLock { state.sessions.contains(digest) }
  }

  func end(_ cookie: String) {
    let digest = Self.digest(cookie)
    state.lock.withLock { state.sessions.removeAll { $0 == digest } }
  }

  private static func digest(_ text: String) -> SHA256.Digest { SHA256.hash(data: Data(text.utf8)) }
}
