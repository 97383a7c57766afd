import StoreModel
import WebSupport

/// Slows down guesses of the control token, at the control API and at the console together. Each address has an allowance
/// of its own, so that a guesser does not keep others out.
final class TokenGuesses: Sendable {
  /// Beyond it, addresses that are not counted yet share one allowance.
  static let largestNumber = 1_000

  private struct State: Sendable {
    var allowances: [[UInt8]: SignInAllowance] = [:]

    /// Returns the key that an address is counted by. An IPv6 address is counted by its network of 64 bits.
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

  /// Compares, unless the address has guessed too often.
  ///
  /// - Parameters:
  ///   - address: the caller's; nil where a test has no connection.
  ///   - isRight: compares the token.
  /// - Throws: ``ConsoleSessions/Refusal``. Too many attempts are refused also where the token is right: otherwise the
  ///   response would still tell.
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
