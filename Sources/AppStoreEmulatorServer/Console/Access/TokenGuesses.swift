import StoreModel
import WebSupport

/// Limits wrong control tokens, together for the control API and the console. Each address has its own allowance, so
/// that a client that guesses tokens does not block others.
final class TokenGuesses: Sendable {
  /// The maximum number of addresses with their own allowance. Above it, further addresses share one allowance.
  static let largestNumber = 1_000

  private struct State: Sendable {
    var allowances: [[UInt8]: SignInAllowance] = [:]

    /// Returns the key under which an address is counted. An IPv6 address is counted by its network of 64 bits.
    mutating func key(_ address: NetworkAddress?, _ now: StoreDate) -> [UInt8] {
      let holder = address?.holder ?? []
      guard allowances[holder] == nil, allowances.count >= TokenGuesses.largestNumber else { return holder }
      allowances = allowances.filter { !$0.value.isWhole(now: now) }
      return allowances.count < TokenGuesses.largestNumber ? holder : []
    }
  }

  private let clock: any MachineClock
  private let state = LockedValue(State())

  init(clock: any MachineClock) { self.clock = clock }

  /// The number of addresses that are counted.
  var count: Int { state.withLock { $0.allowances.count } }

  /// Compares the token, unless the address has sent too many wrong ones.
  ///
  /// - Parameters:
  ///   - address: the caller's address; nil in tests without a connection.
  ///   - isRight: compares the token.
  /// - Throws: ``ConsoleSessions/Refusal``. After too many attempts, a right token is refused too. Otherwise a caller
  ///   could continue to guess.
  func check(from address: NetworkAddress?, _ isRight: () -> Bool) throws(ConsoleSessions.Refusal) {
    let now = clock.now
    let waiting = state.withLock { state in
      let key = state.key(address, now)
      return state.allowances[key]?.secondsToWait(now: now) ?? 0
    }
    guard waiting == 0 else { throw .tooManyAttempts(seconds: waiting) }
    guard !isRight() else { return }
    state.withLock { state in
      let key = state.key(address, now)
      state.allowances[key, default: SignInAllowance(now: now)].spend(now: now)
    }
    throw .wrongToken
  }
}
