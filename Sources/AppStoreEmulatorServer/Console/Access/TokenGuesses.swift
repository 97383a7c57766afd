import Foundation
import HTTPDoors
import StoreModel

/// Slows down guesses of the control token, at the control API and at the console together. Each address has an allowance
/// of its own, so that a guesser does not keep others out.
final class TokenGuesses: @unchecked Sendable {
  /// Beyond it, addresses that are not counted yet share one allowance.
  static let largestNumber = 1_000

  private let clock: any WallClock
  private let lock = NSLock()
  private var allowances: [[UInt8]: SignInAllowance] = [:]

  init(clock: any WallClock) { self.clock = clock }

  /// How many addresses are counted.
  var count: Int { lock.withLock { allowances.count } }

  /// Compares, unless the address has guessed too often.
  ///
  /// - Parameters:
  ///   - address: the caller's; nil where a test has no connection.
  ///   - isRight: compares the token.
  /// - Throws: ``ConsoleSessions/Refusal``. Too many attempts are refused also where the token is right: otherwise the
  ///   response would still tell.
  func check(from address: NetworkAddress?, _ isRight: () -> Bool) throws(ConsoleSessions.Refusal) {
    let now = clock.now
    let waiting = lock.withLock {
      let key = key(address, now)
      return allowances[key]?.secondsToWait(now: now) ?? 0
    }
    guard waiting == 0 else { throw .tooManyAttempts(seconds: waiting) }
    guard !isRight() else { return }
    lock.withLock {
      let key = key(address, now)
      allowances[key, default: SignInAllowance(now: now)].spend(now: now)
    }
    throw .wrongToken
  }

  /// What an address is counted by: IPv6 by its network of 64 bits.
  private func key(_ address: NetworkAddress?, _ now: StoreDate) -> [UInt8] {
    let holder = address?.holder ?? []
    guard allowances[holder] == nil, allowances.count >= Self.largestNumber else { return holder }
    allowances = allowances.filter { !$0.value.isWhole(now: now) }
    return allowances.count < Self.largestNumber ? holder : []
  }
}
