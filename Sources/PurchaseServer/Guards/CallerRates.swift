import Hummingbird
import StoreModel

/// How many requests each caller may make. A caller is a customer or an operator once its token has been verified, and an
/// address before.
///
/// The token itself is no key: one JWT can be spelt in many ways, and a customer can have many.
struct CallerRates: Sendable {
  let rates: RateLimiter
  let tokens: RecognisedTokens
  /// Verifies a token and adds it to `tokens` if it is good.
  let recognise: @Sendable (_ token: String) async -> Void
  /// Verifications of tokens from addresses that have used up their rate: of each address, and of all together.
  private let checks: RateLimiter
  private let allChecks: RateLimiter

  init(
    _ rate: RateLimiter.Rate, tokens: RecognisedTokens, clock: any MachineClock,
    recognise: @escaping @Sendable (_ token: String) async -> Void
  ) {
    rates = RateLimiter(rate, clock: clock)
    checks = RateLimiter(.init(perSecond: 200, burst: 400), clock: clock)
    allChecks = RateLimiter(.init(perSecond: 1_000, burst: 2_000), clock: clock)
    self.tokens = tokens
    self.recognise = recognise
  }

  /// Admits a request, or returns how many seconds to wait: at least 1.
  func admit(token: String?, from address: CallerAddress, cost: Double) async -> Int? {
    if let caller = token.flatMap(tokens.caller) { return rates.admit(caller, cost: cost) }
    guard let seconds = rates.admit("address \(address.key)", cost: cost) else { return nil }
    // Other callers have used up the rate of the address. A customer with a good token is not refused for that.
    guard let token, checks.admit(address.key) == nil, allChecks.admit("") == nil else { return seconds }
    await recognise(token)
    guard let caller = tokens.caller(of: token) else { return seconds }
    return rates.admit(caller, cost: cost)
  }

  /// The same for a probe of the server's health, which the server's users must not keep out.
  func admitProbe(from address: CallerAddress) -> Int? { rates.admit("watching \(address.key)") }
}
