import StoreModel

/// Limits wrong tokens. Each address has its own allowance, so that a client that guesses tokens does not block others.
package final class TokenGuesses: Sendable {
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

  package init(clock: any MachineClock) { self.clock = clock }

  /// The number of addresses that are counted.
  var count: Int { state.withLock { $0.allowances.count } }

  /// Compares a token, unless the address has sent too many wrong ones.
  ///
  /// - Parameters:
  ///   - address: the caller's address; nil in tests without a connection.
  ///   - isRight: compares the token.
  /// - Throws: ``SignInRefusal``. After too many attempts, a right token is refused too. Otherwise a caller
  ///   could continue to guess.
  package func check(from address: NetworkAddress?, _ isRight: () -> Bool) throws(SignInRefusal) {
    try admit(address)
    guard !isRight() else { return }
    countWrong(from: address)
    throw .wrongToken
  }

  /// Refuses a token of an address that has sent too many wrong ones, before the token is compared.
  ///
  /// - Throws: ``SignInRefusal/tooManyAttempts(seconds:)``.
  package func admit(_ address: NetworkAddress?) throws(SignInRefusal) {
    let now = clock.now
    let waiting = state.withLock { state in
      let key = state.key(address, now)
      return state.allowances[key]?.secondsToWait(now: now) ?? 0
    }
    guard waiting == 0 else { throw .tooManyAttempts(seconds: waiting) }
  }

  /// Counts a wrong token of an address.
  package func countWrong(from address: NetworkAddress?) {
    let now = clock.now
    state.withLock { state in
      let key = state.key(address, now)
      state.allowances[key, default: SignInAllowance(now: now)].spend(now: now)
    }
  }
}
